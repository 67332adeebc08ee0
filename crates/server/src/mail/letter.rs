//! Words of a mail: who waits, for what, since and until when, and where it is decided; as text and as HTML, in the person's
//! language and by their clock. Titles and facts are those of the card, which whoever may decide it may read.

use std::sync::LazyLock;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, MultiPart};
use lettre::{Address, address::AddressError};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde::Serialize;
use throughline_channels::direction::steadied;
use throughline_engine::data::canonical_json::{hex, sha256};
use throughline_engine::data::card_model::CardModel;
use throughline_engine::{CardId, Timestamp};
use throughline_messages::{self as messages, Language};
use throughline_runtime::RuntimeError;
use throughline_store::ApprovalRow;

use super::Mail;
use crate::app::App;
use crate::approval_news;
use crate::config::{Config, User};
use crate::views;

/// Titles that a mail lists.
const LISTED: usize = 5;
/// Characters of a line.
const LINE: usize = 200;
/// Moment that no mail is of: a date told to a reader of that time has its year.
const ANOTHER_YEAR: Timestamp = Timestamp(0);

/// Mail to one person.
#[derive(Debug)]
pub(super) struct Letter {
    pub(super) to: Address,
    pub(super) bytes: Vec<u8>,
}

/// Reason why a mail cannot be written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwritten {
    #[error(transparent)]
    Address(#[from] AddressError),
    #[error(transparent)]
    Mail(#[from] lettre::error::Error),
    #[error("the template cannot be rendered: {0}")]
    Template(#[from] minijinja::Error),
    #[error("the address of the pages is not known")]
    NoLink,
}

static TEMPLATES: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    match SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build() {
        Ok(syntax) => templates.set_syntax(syntax),
        Err(error) => tracing::error!(%error, "templates keep their blank lines"),
    }
    for (name, source) in [
        ("approval.txt", include_str!("../../mail/approval.txt")),
        ("approval.html", include_str!("../../mail/approval.html")),
    ] {
        if let Err(error) = templates.add_template(name, source) {
            tracing::error!(name, %error, "a template cannot be read");
        }
    }
    templates
});

/// Values of the templates.
#[derive(Serialize)]
struct Words {
    language: &'static str,
    subject: String,
    asks: String,
    title: String,
    about: Vec<String>,
    more: Option<String>,
    facts: Vec<String>,
    since: String,
    until: String,
    open: String,
    link: String,
    opens_for: String,
    once: String,
}

/// Writes the mail to a person about an approval.
pub(super) async fn letter(
    app: &App,
    mail: &Mail,
    row: &ApprovalRow,
    user: &User,
) -> Result<Result<Letter, Unwritten>, RuntimeError> {
    let config = app.config();
    let language = language_of(config, user);
    let lane = app.runtime().lane(&row.lane).await?;
    let card = views::approvals::card_of(app.runtime(), &lane, row, Some(language)).await?;
    let asker = app.runtime().ports().directory.actor(&row.lane, &row.approval.requested_by).await;
    let clock = |at: Timestamp| clock(app, user, at, language);
    let words = approval_news::link(app, &row.approval.card)
        .map(|link| words(row, card.as_ref(), &asker.name, &clock, link, language));
    let id = message_id(&row.lane.tenant, &row.approval.card, &user.id, mail.from.email.domain());
    Ok(words.ok_or(Unwritten::NoLink).and_then(|words| write(mail, user, &id, &words, app.store().now())))
}

/// Returns the language that a person is written to in.
pub(crate) fn language_of(config: &Config, user: &User) -> Language {
    let language = user.language.as_deref().or(config.language.as_deref()).and_then(Language::of);
    language.unwrap_or_default()
}

fn words(
    row: &ApprovalRow,
    card: Option<&CardModel>,
    asker: &str,
    clock: &dyn Fn(Timestamp) -> String,
    link: String,
    language: Language,
) -> Words {
    let approval = &row.approval;
    let plainly = || format!("{} → {}", approval.classes.join(", "), approval.targets.join(", "));
    let title = line(&card.map_or_else(plainly, |card| card.title.clone()));
    let mut about: Vec<String> = card.map(views::approvals::about).unwrap_or_default();
    let shown = about.len().min(LISTED);
    let more = about.len() - shown;
    about.truncate(shown);
    // Who asks and until when is said beside, the size is for those who look closer, and checks end before a mail is read.
    let beside =
        [messages::card_asked_by(language, &approval.requested_by), messages::card_checks_running(language)];
    let said = |card: &CardModel, fact: &String| {
        card.outline.decision.contains(fact) || card.outline.details.contains(fact) || beside.contains(fact)
    };
    let facts =
        card.map(|card| card.facts.iter().filter(|fact| !said(card, fact)).map(|fact| line(fact)).collect());
    let ends = |end| messages::mail_until(language, clock(end));
    Words {
        language: language.code(),
        subject: messages::mail_subject(language, about.first().map_or(title.clone(), |first| line(first))),
        asks: messages::mail_asks(language, line(asker)),
        title,
        about: about.iter().map(|one| line(one)).collect(),
        more: (more > 0).then(|| messages::mail_more(language, more)),
        facts: facts.unwrap_or_default(),
        since: messages::mail_since(language, clock(approval.created_at)),
        until: approval.expires_at.map_or_else(|| messages::mail_no_end(language), ends),
        open: messages::mail_open(language),
        link,
        opens_for: messages::mail_opens_for(language),
        once: messages::mail_once(language),
    }
}

fn write(mail: &Mail, user: &User, id: &str, words: &Words, now: Timestamp) -> Result<Letter, Unwritten> {
    let render = |name| TEMPLATES.get_template(name).and_then(|template| template.render(Serde(words)));
    let to: Address = user.email.as_deref().unwrap_or_default().parse()?;
    let name = Some(line(&user.name)).filter(|name| !name.is_empty());
    let millis = u64::try_from(now.0).unwrap_or(0);
    let generated =
        HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".into());
    let message = Message::builder()
        .from(mail.from.clone())
        .to(Mailbox::new(name, to.clone()))
        .subject(&words.subject)
        .message_id(Some(id.to_owned()))
        .date(std::time::UNIX_EPOCH + std::time::Duration::from_millis(millis))
        .raw_header(generated)
        .multipart(MultiPart::alternative_plain_html(render("approval.txt")?, render("approval.html")?))?;
    Ok(Letter { to, bytes: message.formatted() })
}

/// Returns the id of a mail, the same whenever it is sent again.
fn message_id(tenant: &str, approval: &CardId, person: &str, domain: &str) -> String {
    let about = [tenant, approval.as_str(), person].join("\n");
    format!("<{}@{domain}>", &hex(&sha256(&[about.as_bytes()]))[..32])
}

/// Returns a moment by the person's clock, with its day and its zone.
fn clock(app: &App, user: &User, at: Timestamp, language: Language) -> String {
    let zone = user.zone.as_ref().or(app.config().zone.as_ref());
    let offset = zone.map_or(0, |zone| zone.offset_s(at));
    let here = at.plus(i64::from(offset) * Timestamp::SECOND);
    format!("{} {}", here.display_at(ANOTHER_YEAR, language), zone.map_or("UTC", |zone| zone.name()))
}

/// Returns a text of people as one line of bounded length that nothing else can be read into.
pub(crate) fn line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_whitespace() || letter.is_control());
    let text = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let short = match text.char_indices().nth(LINE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    steadied(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mail_is_known_again_by_its_id() {
        let id = |tenant, approval: &str, person| message_id(tenant, &approval.into(), person, "example.org");
        assert_eq!(id("acme", "ap_1", "mia"), id("acme", "ap_1", "mia"));
        assert!(id("acme", "ap_1", "mia").ends_with("@example.org>"));
        for other in [id("other", "ap_1", "mia"), id("acme", "ap_2", "mia"), id("acme", "ap_1", "bob")] {
            assert_ne!(id("acme", "ap_1", "mia"), other);
        }
    }

    #[test]
    fn a_line_is_one_line() {
        assert_eq!(line("Fix\r\nBcc: eve@example.org\u{7}  now\n"), "Fix Bcc: eve@example.org now");
        assert_eq!(line(&"ä".repeat(300)).chars().count(), LINE + 1);
    }
}
