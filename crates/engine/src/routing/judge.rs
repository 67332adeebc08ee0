//! The learned judge, asked where no rule read the message (`docs/design/0079-learned-judge.md`).
//!
//! It answers questions of hosts alone, which take a yes or no as a value and nothing else: the engine's own questions, offers,
//! gates and approvals set something off. It ends what a message of ours leaves open, after which nothing is done.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;

use crate::data::decision::Reason;
use crate::data::pending::{PendingState, Slot};
use crate::turn::routed_message::{context, focus, text_of};
use crate::turn::{RoutedMessage, Turn};
use throughline_language::intent::is_material;
use throughline_language::judge::Model;
use throughline_language::{Context, Expected, Match, NO_YES, Strength, Value};

/// Reasons of the reader by which a rule did read the message.
const READ: [&str; 5] = ["command", "interrupt", "no words", "quoted", "acknowledges something else"];

/// An answer that was judged, and the account of it.
pub(super) struct Judged {
    pub(super) found: Match,
    account: String,
}

impl Judged {
    /// Notes that the judge decided, and by which words.
    pub(super) fn note(self, turn: &mut Turn<'_>) {
        turn.trace.rule = Some(Cow::Owned(self.account));
        turn.note(Reason::Judged);
    }
}

/// Judges an answer to a host's question of yes or no, which the reader found to be none for the reason `unread`.
pub(super) fn answer(
    turn: &Turn<'_>,
    said: &RoutedMessage,
    pending: &PendingState,
    unread: &str,
    context: &Context<'_>,
) -> Option<Judged> {
    let policy = &turn.policy.judge;
    let asked = pending.expected == Some(Expected::Boolean)
        && matches!(pending.kind.slot(), Some(Slot::Host))
        && context.focused;
    if !policy.enabled || !asked || READ.contains(&unread) || said.rule().is_some() {
        return None;
    }
    let answer = Model::SHIPPED.answer(&said.words, context)?;
    let (name, least) = match answer.yes {
        true if answer.confirms => ("confirm", policy.confirm?),
        true => ("yes", policy.yes),
        false => ("no", policy.no),
    };
    // A yes that the rules read, and found to be none, is none.
    let taken_back = answer.yes && NO_YES.contains(&unread);
    if answer.veto.is_some() || taken_back || answer.margin < least {
        return None;
    }
    let found = Match {
        value: Value::Boolean(answer.yes),
        strength: Strength::Firm,
        span: 0..said.text().len(),
        remainder: answer.rest,
    };
    Some(Judged { found, account: account(name, answer.margin, least, &answer.words) })
}

/// True if the message is judged to end what a message of ours left open; that is noted.
pub(super) fn ends(turn: &mut Turn<'_>, said: &RoutedMessage) -> bool {
    let policy = &turn.policy.judge;
    let before = focus(turn).anchor_id().map_or("", |anchor| text_of(turn, anchor));
    // While a card waits, whatever is said to it is answered.
    let waits = turn.open_cards().next().is_some();
    if !policy.enabled || waits || before.is_empty() || said.rule().is_some() || is_material(&said.words) {
        return false;
    }
    let least = policy.end;
    let end = Model::SHIPPED.end(&said.words, &context(turn).to(before));
    let Some(end) = end.filter(|end| end.veto.is_none() && end.margin >= least) else { return false };
    turn.trace.rule = Some(Cow::Owned(account("end", end.margin, least, &end.words)));
    turn.note(Reason::Judged);
    true
}

/// The account of a verdict: `judge.yes 64 (37 needed): that suits me | suits`.
fn account(name: &str, margin: i32, least: i32, words: &[String]) -> String {
    format!("judge.{name} {margin} ({least} needed): {}", words.join(" | "))
}
