//! The web chat in a browser window: writing, reading, and finding cards.

use std::ops::Deref;

use serde::Deserialize;
use serde_json::json;

use crate::driver::Browser;
use crate::page::{By, Page};

/// The field for a message.
pub(crate) const MESSAGE: By<'static> = By::Role("textbox", "Message");
/// A message with all details that a bug needs.
pub(crate) const BUG: &str =
    "Create a bug: the page is empty\nSteps: open it\nExpected: a list\nActual: nothing";

/// A window with the chat.
pub(crate) struct Chat<'b> {
    page: Page<'b>,
}

/// A card as it is shown.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) version: u32,
    pub(crate) step: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// The actions of the buttons that can be pressed.
    pub(crate) actions: Vec<String>,
}

impl<'b> Chat<'b> {
    /// Opens the chat in the first window.
    #[track_caller]
    pub(crate) fn open(browser: &'b Browser, url: &str) -> Self {
        Self::open_with(Page::first(browser), url, |_| ())
    }

    /// Opens the chat in another window.
    #[track_caller]
    pub(crate) fn open_another(browser: &'b Browser, url: &str) -> Self {
        Self::open_with(Page::another(browser), url, |_| ())
    }

    /// Opens the chat after acting on a page that comes before it.
    #[track_caller]
    pub(crate) fn open_with(page: Page<'b>, url: &str, first: impl FnOnce(&Page<'b>)) -> Self {
        page.go(url);
        first(&page);
        let chat = Self { page };
        chat.until_connection("live");
        chat
    }

    /// Waits until the page shows a connection state.
    #[track_caller]
    pub(crate) fn until_connection(&self, state: &str) {
        let script = "return document.querySelector('[data-connection]')?.dataset.connection";
        self.until_is(&format!("the connection to be {state}"), script, &json!(state));
    }

    /// Returns the URL of the conversation.
    #[track_caller]
    pub(crate) fn address(&self) -> String {
        self.run("return location.href", &[]).as_str().unwrap().to_owned()
    }

    /// Writes a message and clicks *Send*.
    #[track_caller]
    pub(crate) fn write(&self, text: &str) {
        self.click(MESSAGE);
        self.type_lines(text);
        self.click(By::Role("button", "Send"));
    }

    /// Returns the id and text of each message, in order.
    #[track_caller]
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let script = "return [...document.querySelectorAll('[role=log] [data-message]')]
            .map(message => [message.dataset.message, message.innerText])";
        serde_json::from_value(self.run(script, &[])).unwrap()
    }

    /// Returns the cards of the conversation.
    #[track_caller]
    pub(crate) fn cards(&self) -> Vec<Card> {
        let script = "return [...document.querySelectorAll('[data-card]')].map(card => ({
            id: card.dataset.card,
            version: Number(card.dataset.version),
            step: card.dataset.step,
            title: card.getAttribute('aria-label'),
            text: card.innerText,
            actions: [...card.querySelectorAll('[data-action]:enabled')].map(button => button.dataset.action),
        }))";
        serde_json::from_value(self.run(script, &[])).unwrap()
    }

    /// Waits for a card, and returns the newest that fits.
    #[track_caller]
    pub(crate) fn until_card(&self, what: &str, fits: impl Fn(&Card) -> bool) -> Card {
        self.until(what, || {
            let cards = self.cards();
            cards.iter().rev().find(|card| fits(card)).cloned().ok_or_else(|| format!("{cards:#?}"))
        })
    }

    /// Waits for the preview of a ticket.
    #[track_caller]
    pub(crate) fn until_preview(&self, version: u32) -> Card {
        self.until_card(&format!("a preview, version {version}"), |card| {
            card.step == "draft_preview"
                && card.version == version
                && card.actions.contains(&"approve".into())
        })
    }

    /// Waits for the preview of a batch with a button.
    #[track_caller]
    pub(crate) fn until_batch(&self, version: u32, action: &str) -> Card {
        self.until_card(&format!("a batch, version {version}, with {action}"), |card| {
            card.step == "multi_ticket_preview"
                && card.version == version
                && card.actions.contains(&action.into())
        })
    }

    /// Waits for a version of a review that contains a text.
    #[track_caller]
    pub(crate) fn until_review(&self, version: u32, says: &str) -> Card {
        self.until_card(&format!("a review, version {version}, that says {says:?}"), |card| {
            card.step == "review_active" && card.version == version && card.text.contains(says)
        })
    }

    /// Waits for the question what to do with an unclear message that contains a text.
    #[track_caller]
    pub(crate) fn until_gate(&self, excerpt: &str) -> Card {
        self.until_card(&format!("a gate about {excerpt:?}"), |card| {
            card.step == "scope_gate" && card.text.contains(excerpt) && !card.actions.is_empty()
        })
    }

    /// Waits for a receipt whose title begins with a text.
    #[track_caller]
    pub(crate) fn until_created(&self, what: &str) -> Card {
        self.until_card(&format!("a receipt: {what}"), |card| {
            card.step == "receipt" && card.title.starts_with(what)
        })
    }

    /// Waits until all messages are sent.
    #[track_caller]
    pub(crate) fn until_taken(&self) {
        let waiting = "return document.querySelectorAll('.sending').length";
        self.until_is("everything to be sent", waiting, &json!(0));
    }

    /// Waits for the receipt of a created issue.
    #[track_caller]
    pub(crate) fn until_receipt(&self) -> Card {
        self.until_card("a receipt", |card| card.step == "receipt" && card.title.starts_with("Created"))
    }

    /// Clicks a button of a card.
    #[track_caller]
    pub(crate) fn press_on(&self, card: &Card, action: &str) {
        self.click(By::Css(&button(card, action)));
    }

    /// Clicks a button of an item of a card. Places count from 1.
    #[track_caller]
    pub(crate) fn press_on_item(&self, card: &Card, place: usize, action: &str) {
        let item = format!("[data-card='{}'] .items > :nth-child({place})", card.id);
        self.click(By::Css(&format!("{item} [data-action={action}]")));
    }

    /// Approves a batch, and confirms the number of items in the dialog.
    #[track_caller]
    pub(crate) fn approve_all(&self, card: &Card) {
        self.press_on(card, "approve");
        self.click(By::Css("dialog .primary"));
    }

    /// Replaces the text of a field of the open form.
    #[track_caller]
    pub(crate) fn fill(&self, label: &str, text: &str) {
        self.click(By::Role("textbox", label));
        self.press("Control+a");
        self.type_lines(text);
    }

    /// Saves the open form, and waits until it is closed.
    #[track_caller]
    pub(crate) fn save(&self) {
        self.click(By::Role("button", "Save"));
        self.until_is("the form to close", "return document.querySelector('dialog') === null", &json!(true));
    }

    /// Writes in reply to the message that shows a card.
    #[track_caller]
    pub(crate) fn reply(&self, card: &Card, text: &str) {
        self.click(By::Css(&format!("article:has([data-card='{}']) .reply", card.id)));
        self.type_lines(text);
        self.press("Enter");
        self.until_taken();
    }

    /// Waits for an alert that contains a text.
    #[track_caller]
    pub(crate) fn until_refused(&self, words: &str) {
        self.until(&format!("an alert that says {words:?}"), || {
            let text =
                self.run("return document.querySelector('#toasts [role=alert]')?.innerText ?? ''", &[]);
            let text = text.as_str().unwrap();
            if text.contains(words) { Ok(()) } else { Err(text.to_owned()) }
        });
    }

    /// Asserts that the page has no errors, dialogs or policy violations.
    #[track_caller]
    pub(crate) fn assert_no_faults(&self) {
        assert_eq!(json!(self.faults()), json!([]));
    }
}

impl<'b> Deref for Chat<'b> {
    type Target = Page<'b>;

    fn deref(&self) -> &Page<'b> {
        &self.page
    }
}

/// Returns the selector of a button of a card, of any version.
pub(crate) fn button(card: &Card, action: &str) -> String {
    format!("[data-card='{}'] [data-action={action}]", card.id)
}

/// Changes the title of a draft with the form of its card.
#[track_caller]
pub(crate) fn edit_title(chat: &Chat<'_>, card: &Card, title: &str) {
    chat.press_on(card, "edit");
    chat.fill("Title", title);
    chat.save();
}
