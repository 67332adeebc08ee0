//! The web chat in a tab: writing, reading, and the cards by what they are.

use std::ops::Deref;

use serde::Deserialize;
use serde_json::json;

use crate::driver::Browser;
use crate::page::{At, Page};

/// Where a person writes.
pub(crate) const MESSAGE: At<'static> = At::Named("textbox", "Message");
/// A message that says everything a bug needs.
pub(crate) const BUG: &str =
    "Create a bug: the page is empty\nSteps: open it\nExpected: a list\nActual: nothing";

/// A tab with the chat in it.
pub(crate) struct Chat<'b> {
    page: Page<'b>,
}

/// A card as it is seen.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Card {
    pub(crate) id: String,
    pub(crate) version: u32,
    pub(crate) step: String,
    pub(crate) title: String,
    pub(crate) text: String,
    /// What its buttons do.
    pub(crate) actions: Vec<String>,
}

impl<'b> Chat<'b> {
    /// Opens it in the browser's first tab.
    #[track_caller]
    pub(crate) fn open(browser: &'b Browser, url: &str) -> Self {
        Self::shown(Page::first(browser), url, |_| ())
    }

    /// Opens it in one more tab.
    #[track_caller]
    pub(crate) fn open_another(browser: &'b Browser, url: &str) -> Self {
        Self::shown(Page::another(browser), url, |_| ())
    }

    /// Opens it by way of a page where something has to be done first.
    #[track_caller]
    pub(crate) fn shown(page: Page<'b>, url: &str, first: impl FnOnce(&Page<'b>)) -> Self {
        page.go(url);
        first(&page);
        let chat = Self { page };
        chat.until_connection("live");
        chat
    }

    /// Waits until the page says how it is connected.
    #[track_caller]
    pub(crate) fn until_connection(&self, state: &str) {
        let script = "return document.querySelector('[data-connection]')?.dataset.connection";
        self.until_is(&format!("the connection to be {state}"), script, &json!(state));
    }

    /// The address of the conversation it shows.
    #[track_caller]
    pub(crate) fn address(&self) -> String {
        self.run("return location.href", &[]).as_str().unwrap().to_owned()
    }

    /// Writes and sends, with the mouse; the lines of a text with Shift and Enter between them.
    #[track_caller]
    pub(crate) fn write(&self, text: &str) {
        self.click(MESSAGE);
        self.types_lines(text);
        self.click(At::Named("button", "Send"));
    }

    /// What is in the conversation, in its order: the id of each message, and what it says.
    #[track_caller]
    pub(crate) fn messages(&self) -> Vec<(String, String)> {
        let script = "return [...document.querySelectorAll('[role=log] [data-message]')]
            .map(message => [message.dataset.message, message.innerText])";
        serde_json::from_value(self.run(script, &[])).unwrap()
    }

    /// The cards in it.
    #[track_caller]
    pub(crate) fn cards(&self) -> Vec<Card> {
        let script = "return [...document.querySelectorAll('[data-card]')].map(card => ({
            id: card.dataset.card,
            version: Number(card.dataset.version),
            step: card.dataset.step,
            title: card.getAttribute('aria-label'),
            text: card.innerText,
            actions: [...card.querySelectorAll('[data-action]')].map(button => button.dataset.action),
        }))";
        serde_json::from_value(self.run(script, &[])).unwrap()
    }

    /// Waits for a card, the newest that fits.
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

    /// Waits for the preview of several items that has this button.
    #[track_caller]
    pub(crate) fn until_batch(&self, version: u32, action: &str) -> Card {
        self.until_card(&format!("a batch, version {version}, with {action}"), |card| {
            card.step == "multi_ticket_preview"
                && card.version == version
                && card.actions.contains(&action.into())
        })
    }

    /// Waits for a review at this version.
    #[track_caller]
    pub(crate) fn until_review(&self, version: u32, says: &str) -> Card {
        self.until_card(&format!("a review, version {version}, that says {says:?}"), |card| {
            card.step == "review_active" && card.version == version && card.text.contains(says)
        })
    }

    /// Waits for the question what to do with a message that begins like this.
    #[track_caller]
    pub(crate) fn until_gate(&self, excerpt: &str) -> Card {
        self.until_card(&format!("a gate about {excerpt:?}"), |card| {
            card.step == "scope_gate" && card.text.contains(excerpt) && !card.actions.is_empty()
        })
    }

    /// Waits for the receipt of several items that begins like this.
    #[track_caller]
    pub(crate) fn until_created(&self, what: &str) -> Card {
        self.until_card(&format!("a receipt: {what}"), |card| {
            card.step == "receipt" && card.title.starts_with(what)
        })
    }

    /// Waits until everything written was taken.
    #[track_caller]
    pub(crate) fn until_taken(&self) {
        let waiting = "return document.querySelectorAll('.sending').length";
        self.until_is("everything to be sent", waiting, &json!(0));
    }

    /// Waits for the receipt of an issue.
    #[track_caller]
    pub(crate) fn until_receipt(&self) -> Card {
        self.until_card("a receipt", |card| card.step == "receipt" && card.title.starts_with("Created"))
    }

    /// Clicks a button of a card.
    #[track_caller]
    pub(crate) fn press_on(&self, card: &Card, action: &str) {
        self.click(At::Css(&button(card, action)));
    }

    /// Clicks a button of an item of a card, by the item's place in it.
    #[track_caller]
    pub(crate) fn press_on_item(&self, card: &Card, place: usize, action: &str) {
        let item = format!("[data-card='{}'] .items > :nth-child({place})", card.id);
        self.click(At::Css(&format!("{item} [data-action={action}]")));
    }

    /// Approves several items, and says again that so many are meant.
    #[track_caller]
    pub(crate) fn approve_all(&self, card: &Card) {
        self.press_on(card, "approve");
        self.click(At::Css("dialog .primary"));
    }

    /// Writes into a field of the form that is open, in place of what is there.
    #[track_caller]
    pub(crate) fn fill(&self, label: &str, text: &str) {
        self.click(At::Named("textbox", label));
        self.press("Control+a");
        self.types_lines(text);
    }

    /// Saves the form that is open, and waits until it is gone.
    #[track_caller]
    pub(crate) fn save(&self) {
        self.click(At::Named("button", "Save"));
        self.until_is("the form to close", "return document.querySelector('dialog') === null", &json!(true));
    }

    /// Writes in reply to the message that shows a card.
    #[track_caller]
    pub(crate) fn reply(&self, card: &Card, text: &str) {
        self.click(At::Css(&format!("article:has([data-card='{}']) .reply", card.id)));
        self.types_lines(text);
        self.press("Enter");
        self.until_taken();
    }

    /// Waits until a refusal is told, at once and to whoever listens.
    #[track_caller]
    pub(crate) fn until_refused(&self, words: &str) {
        self.until(&format!("an alert that says {words:?}"), || {
            let text =
                self.run("return document.querySelector('#toasts [role=alert]')?.innerText ?? ''", &[]);
            let text = text.as_str().unwrap();
            if text.contains(words) { Ok(()) } else { Err(text.to_owned()) }
        });
    }

    /// Asserts that nothing went wrong that nobody sees.
    #[track_caller]
    pub(crate) fn is_clean(&self) {
        assert_eq!(json!(self.faults()), json!([]));
    }
}

impl<'b> Deref for Chat<'b> {
    type Target = Page<'b>;

    fn deref(&self) -> &Page<'b> {
        &self.page
    }
}

/// A selector of a button of a card, whatever version the card has by then.
pub(crate) fn button(card: &Card, action: &str) -> String {
    format!("[data-card='{}'] [data-action={action}]", card.id)
}

/// Changes the title on a card by its form.
#[track_caller]
pub(crate) fn edit_title(chat: &Chat<'_>, card: &Card, title: &str) {
    chat.press_on(card, "edit");
    chat.fill("Title", title);
    chat.save();
}
