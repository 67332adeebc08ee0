//! How facts come and go in a turn: what people ask to be remembered, what their words state, what was decided on
//! record, what a model proposes; and what becomes of them when a message, a draft or an epic changes.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use super::book::Kept;
use super::extract::{self, Cited, Proposal};
use super::fact::{
    Confidence, Fact, FactKey, FactScope, FactType, Origin, Source, Trust, draft_of, draft_scope,
};
use super::merge::Joined;
use super::rules::{self, Stated};
use super::shown::{self, Shown};
use crate::decision::{Decision, Reason, Verdict};
use crate::decisions;
use crate::event::{EventKind, FactStated};
use crate::id::{DraftId, FactId, MessageId};
use crate::lane::{Message, MessageKind, Role};
use crate::pending::{PendingKind, Slot};
use crate::policy::limits;
use crate::recognize::{Expected, Words};
use crate::say::fact as say;
use crate::tickets::{Draft, ItemType};
use crate::turn::Turn;
use crate::workflow::{Card, Known};

/// Whether the acting person's word counts as a member's.
pub(crate) fn trusted(turn: &Turn<'_>) -> bool {
    let trusted = &turn.policy.facts.trusted_authors;
    let named = |actor: &crate::given::Actor| actor.principals.iter().any(|one| trusted.contains(one));
    let member = |actor: &crate::given::Actor| actor.barred.is_none() && (trusted.is_empty() || named(actor));
    !turn.given.addressing.bot && turn.given.actor.as_ref().is_some_and(member)
}

/// A statement of the acting person, now.
fn own(turn: &Turn<'_>, text: String, percent: u8, message: Option<MessageId>) -> Source {
    let trust = if trusted(turn) { Trust::Member } else { Trust::Untrusted };
    let most = if trust == Trust::Member { percent } else { percent.min(turn.policy.facts.untrusted_max) };
    Source {
        at: turn.event.received_at,
        author: turn.event.actor.clone(),
        text,
        confidence: Confidence::of(most),
        trust,
        origin: Origin::User,
        subject: None,
        lane: None,
        message,
    }
}

// ---- where it is kept ----

/// The place of a scope, as it is seen from this lane; `None` when it is not clear which epic is meant.
fn place(turn: &Turn<'_>, scope: FactScope) -> Option<FactKey> {
    match scope {
        FactScope::Thread => Some(FactKey::thread(&turn.lane.key)),
        FactScope::Channel => Some(FactKey::channel(&turn.lane.key)),
        FactScope::Epic => epic(turn).map(|id| FactKey::epic(&turn.lane.key.tenant, &id)),
    }
}

/// The scope id of an epic's draft: its issue's key once there is one, so that what comes late lands there too.
fn scope_of(draft: &Draft) -> String {
    draft.created.as_ref().map_or_else(|| draft_scope(&draft.id), |created| created.key.clone())
}

/// Where what is said of an epic lands: at its issue's key, also when it is named by the draft it was made of.
pub(super) fn landed(known: &impl Known, epic: &str) -> String {
    let draft = draft_of(epic).and_then(|draft| known.draft(&draft));
    draft.map_or_else(|| epic.into(), scope_of)
}

fn epics(drafts: impl Iterator<Item = Draft>) -> BTreeSet<String> {
    drafts.filter(|draft| draft.item_type == ItemType::Epic).map(|draft| scope_of(&draft)).collect()
}

/// The one epic that is meant: that of the card in focus, else the only one that is here, else the only issue this
/// thread tracks.
fn epic(turn: &Turn<'_>) -> Option<String> {
    let anchor = turn.focus.as_ref().and_then(|focus| focus.anchor_id());
    let focused = anchor.and_then(|anchor| turn.card_shown_by(anchor)).map(|card| turn.drafts_of(card));
    let tracked = || decisions::tracked::keys(turn).into_iter().collect();
    let only = |found: BTreeSet<String>| (found.len() == 1).then(|| found.into_iter().next()).flatten();
    let focused = epics(focused.unwrap_or_default().into_iter());
    if !focused.is_empty() {
        return only(focused);
    }
    let here = epics(turn.drafts());
    only(if here.is_empty() { tracked() } else { here })
}

// ---- what people say ----

/// "remember that …": noted and answered.
pub(crate) fn asked(turn: &mut Turn<'_>) -> Option<Decision> {
    let stated = rules::asked(&turn.said.as_ref()?.words)?;
    noted(turn, stated)
}

/// "We decided …", and nothing else: noted and answered as well.
pub(crate) fn only_stated(turn: &mut Turn<'_>) -> Option<Decision> {
    let stated = rules::only(&turn.said.as_ref()?.words)?;
    let stated =
        if trusted(turn) { stated } else { Stated { kind: FactType::Assumption, scope: None, ..stated } };
    noted(turn, stated)
}

/// The message's first statement, answered.
fn noted(turn: &mut Turn<'_>, stated: Stated) -> Option<Decision> {
    let message = turn.said.as_ref()?.message.clone();
    turn.books.answered = true;
    let scope = stated.scope.unwrap_or(FactScope::Thread);
    Some(explicit(turn, stated, scope, None, Some(message)))
}

/// A fact that is stated outright, by a message or through the API.
fn explicit(
    turn: &mut Turn<'_>,
    stated: Stated,
    scope: FactScope,
    key: Option<FactKey>,
    message: Option<MessageId>,
) -> Decision {
    let answer = |turn: &mut Turn<'_>, text: &str, verdict, reason| {
        turn.say(MessageKind::Answer, None, text);
        Decision::new(verdict, reason)
    };
    let Some(text) = extract::sentence(&stated.text) else {
        return answer(turn, say::NO_SUCH_FACT, Verdict::Answered, Reason::FactUnknown);
    };
    if scope != FactScope::Thread && !trusted(turn) {
        return answer(turn, say::MEMBERS_ONLY, Verdict::Refused, Reason::FactForbidden);
    }
    let Some(key) = key.or_else(|| place(turn, scope)).filter(|key| turn.has_facts(key)) else {
        return answer(turn, say::WHICH_EPIC, Verdict::Refused, Reason::FactNoPlace);
    };
    let mut source = own(turn, text, stated.percent(), message);
    source.subject = stated.subject.as_deref().and_then(extract::subject);
    let Some(kept) = turn.keep_fact(&key, stated.kind, source) else {
        return answer(turn, say::WAS_ERASED, Verdict::Answered, Reason::FactErased);
    };
    let Some(fact) = turn.fact(&kept.key, &kept.id) else {
        return answer(turn, say::FULL, Verdict::Answered, Reason::FactEvicted);
    };
    if ask(turn, &kept) {
        return Decision::new(Verdict::Asked, Reason::FactDisputed);
    }
    let over: Vec<Fact> = kept.over.iter().filter_map(|id| turn.fact(&kept.key, id)).collect();
    match kept.joined {
        Joined::Unchanged => answer(turn, &say::known(&fact), Verdict::Answered, Reason::FactUnchanged),
        Joined::Merged if over.is_empty() => {
            answer(turn, &say::known(&fact), Verdict::Answered, Reason::FactMerged)
        }
        Joined::Merged => answer(turn, &say::noted(&fact, &over), Verdict::Answered, Reason::FactMerged),
        Joined::Added => answer(turn, &say::noted(&fact, &over), Verdict::Answered, Reason::FactAdded),
    }
}

/// What a taken message states in passing: kept, and not answered.
pub(crate) fn overheard(turn: &mut Turn<'_>, decision: &Decision) {
    let event = turn.event;
    let EventKind::MessagePosted(posted) = &event.kind else { return };
    let taken = !matches!(decision.outcome, Verdict::Ignored | Verdict::Observed);
    let command = turn.policy.command.rest(&posted.text).is_some();
    let Some(message) = turn.said.as_ref().map(|said| said.message.clone()) else { return };
    if !taken || command {
        return;
    }
    let answered = usize::from(turn.books.answered);
    // A message that nothing was taken from is cut into words already.
    let text = turn.kept(&posted.text);
    let cut = turn.said.clone().filter(|said| said.text() == text);
    let stated = cut.map_or_else(|| rules::stated(&Words::of(text)), |said| rules::stated(&said.words));
    for stated in stated.into_iter().skip(answered) {
        hear(turn, stated, &message);
    }
}

/// One statement of a message: a member's as it is, a stranger's as something that may be so, in this lane.
fn hear(turn: &mut Turn<'_>, stated: Stated, message: &MessageId) {
    let member = trusted(turn);
    let scope = stated.scope.filter(|_| member).unwrap_or(FactScope::Thread);
    let kind = if member { stated.kind } else { FactType::Assumption };
    let Some(text) = extract::sentence(&stated.text) else { return };
    let Some(key) = place(turn, scope).filter(|key| turn.has_facts(key)) else {
        turn.note(Reason::FactNoPlace);
        return;
    };
    let mut source = own(turn, text, stated.percent(), Some(message.clone()));
    source.subject = stated.subject.as_deref().and_then(extract::subject);
    if let Some(kept) = turn.keep_fact(&key, kind, source) {
        ask(turn, &kept);
    }
}

/// A fact that somebody states through the API.
pub(crate) fn stated(turn: &mut Turn<'_>, fact: &FactStated) -> Decision {
    let epic = fact.epic.as_deref().filter(|_| fact.scope == FactScope::Epic);
    let key = epic.map(|epic| FactKey::epic(&turn.lane.key.tenant, &landed(turn, epic)));
    let stated = Stated {
        kind: fact.kind,
        scope: Some(fact.scope),
        subject: fact.subject.clone(),
        text: fact.text.clone(),
        asked: true,
    };
    explicit(turn, stated, fact.scope, key, None)
}

/// A fact that somebody takes back: its author, or a member.
pub(crate) fn taken_back(turn: &mut Turn<'_>, key: &FactKey, id: &FactId) -> Decision {
    let refused = |turn: &mut Turn<'_>, text: &str, reason| {
        turn.tell(text);
        Decision::new(Verdict::Refused, reason)
    };
    let Some(fact) = turn.fact(key, id) else { return refused(turn, say::NO_SUCH_FACT, Reason::FactUnknown) };
    if fact.author != turn.event.actor && !trusted(turn) {
        return refused(turn, say::NOT_YOURS, Reason::FactForbidden);
    }
    turn.erase_fact(key, id);
    turn.tell(say::FORGOTTEN);
    Decision::new(Verdict::Done, Reason::FactErased)
}

// ---- which of two ----

/// Asks which of two facts holds, when one has just been disputed: once, and only a member, whose answer counts. While
/// something else is asked, or a model is, nothing more is.
fn ask(turn: &mut Turn<'_>, kept: &Kept) -> bool {
    let Some(holder) = &kept.holder else { return false };
    let (Some(earlier), Some(now)) = (turn.fact(&kept.key, holder), turn.fact(&kept.key, &kept.id)) else {
        return false;
    };
    if !now.trusted() || turn.conversational().is_some() || turn.head.ask.is_some() {
        return false;
    }
    let asked = turn.say(MessageKind::Question, None, &say::which(&earlier, &now));
    let parts = earlier.subject.is_some() && earlier.subject == now.subject;
    let kind = PendingKind::ClarificationNeeded(Slot::Facts {
        key: kept.key.clone(),
        earlier: holder.clone(),
        now: kept.id.clone(),
    });
    let of = now.author;
    turn.open_pending(kind, Some(Expected::OneOf(say::choices(parts))), &asked, None, Some(&of), None);
    true
}

/// Somebody said which holds: that is one more statement of it. "Both" means that they are not about one thing.
pub(crate) fn answered(turn: &mut Turn<'_>, key: &FactKey, earlier: &FactId, now: &FactId, value: &str) {
    let message = turn.said.as_ref().map(|said| said.message.clone());
    let told = if value == say::BOTH {
        turn.part_facts(key, earlier);
        say::both_hold(key.scope)
    } else {
        let chosen = if value == say::FIRST { earlier } else { now };
        let Some(fact) = turn.fact(key, chosen) else {
            turn.say(MessageKind::Answer, None, say::NO_SUCH_FACT);
            return;
        };
        // What was taken to be so has been decided by now.
        let kind = if value == say::FIRST { fact.kind } else { firm(fact.kind) };
        let mut source = own(turn, fact.text.clone(), limits::FACT_ASKED, message);
        source.subject.clone_from(&fact.subject);
        let kept = turn.keep_fact(key, kind, source);
        let held = kept.and_then(|kept| turn.fact(key, &kept.id)).unwrap_or(fact);
        say::holds(&held)
    };
    turn.note(Reason::FactResolved);
    turn.say(MessageKind::Answer, None, &told);
}

fn firm(kind: FactType) -> FactType {
    if kind == FactType::Assumption { FactType::Decision } else { kind }
}

// ---- what was decided, drafted, created ----

/// A decision on record is out: a fact of its channel.
pub(crate) fn decided(turn: &mut Turn<'_>, proposal: &decisions::Proposal) {
    let Some(text) = extract::sentence(&proposal.decision) else { return };
    let key = FactKey::channel(&proposal.to);
    let source = Source {
        at: turn.now(),
        // Whose words they are, whoever let them out.
        author: proposal.by.clone(),
        text,
        confidence: Confidence::FULL,
        trust: Trust::Member,
        origin: Origin::Decision,
        subject: None,
        lane: None,
        message: Some(proposal.source.clone()).filter(|source| !source.0.is_empty()),
    };
    turn.keep_fact(&key, FactType::Decision, source);
}

/// An epic has its issue: what was known of the draft is known of the issue.
pub(crate) fn created(turn: &mut Turn<'_>, draft: &Draft, key: &str) {
    if draft.item_type != ItemType::Epic {
        return;
    }
    let tenant = &turn.lane.key.tenant;
    let (from, to) = (FactKey::epic(tenant, &draft_scope(&draft.id)), FactKey::epic(tenant, key));
    if turn.rekey_facts(&from, &to) {
        turn.note(Reason::FactRekeyed);
    }
}

/// A preview is over and nothing came of its drafts: what was known of an epic among them goes with it.
pub(crate) fn dropped(turn: &mut Turn<'_>, card: &Card) {
    let over = |draft: &Draft| draft.item_type == ItemType::Epic && draft.created.is_none();
    let epics: Vec<DraftId> = turn.drafts_of(card).into_iter().filter(over).map(|draft| draft.id).collect();
    for epic in epics {
        let key = FactKey::epic(&turn.lane.key.tenant, &draft_scope(&epic));
        if turn.forget_facts(&key) {
            turn.note(Reason::FactWithdrawn);
        }
    }
}

// ---- when a message changes ----

/// A message says something else now, or nothing any more: what it stated goes, and what it states now is kept.
pub(crate) fn reworded(turn: &mut Turn<'_>, message: &Message, text: &str) {
    let now = rules::stated(&Words::of(text));
    let again: Vec<String> = now.iter().filter_map(|stated| extract::sentence(&stated.text)).collect();
    let (lane, id) = (turn.lane.key.id(), &message.id);
    let gone = |key: &FactKey, source: &Source| {
        let here = key.scope == FactScope::Thread || source.lane.as_ref() == Some(&lane);
        let said = match source.origin {
            Origin::Model => extract::says(text, source.trust, &source.text),
            _ => again.contains(&source.text),
        };
        here && source.message.as_ref() == Some(id) && source.origin != Origin::Decision && !said
    };
    if turn.withdraw_facts(&gone, false) {
        turn.note(Reason::FactWithdrawn);
    }
    let known: Vec<String> = turn.said_by(id);
    for stated in now {
        if !extract::sentence(&stated.text).is_some_and(|text| known.contains(&text)) {
            hear(turn, stated, id);
        }
    }
}

// ---- models ----

/// What a model proposes in an answer, of the messages that were in its prompt.
pub(crate) fn proposed(turn: &mut Turn<'_>, proposals: &[Proposal], shown: &[MessageId]) {
    let most = turn.policy.facts.max_per_answer;
    if proposals.len() > most {
        turn.note(Reason::FactTooMany);
    }
    for proposal in proposals.iter().take(most) {
        if let Err(reason) = propose(turn, proposal, shown) {
            turn.note(reason);
        }
    }
}

fn propose(turn: &mut Turn<'_>, proposal: &Proposal, shown: &[MessageId]) -> Result<(), Reason> {
    let message = shown.iter().find(|id| id.0 == proposal.message_id);
    let message = message.and_then(|id| turn.message_ref(&id.0)).cloned();
    let cited = message.as_ref().map(|message| Cited { text: &message.text, trust: trust_of(message) });
    let taken = extract::judge(proposal, cited, &turn.policy.facts)?;
    let message = message.ok_or(Reason::FactSourceUnknown)?;
    let key = place(turn, taken.scope).filter(|key| turn.has_facts(key)).ok_or(Reason::FactNoPlace)?;
    let source = Source {
        at: message.at,
        author: message.by.clone(),
        text: taken.text,
        confidence: taken.confidence,
        trust: taken.trust,
        origin: Origin::Model,
        subject: taken.subject,
        lane: None,
        message: Some(message.id),
    };
    if let Some(kept) = turn.keep_fact(&key, taken.kind, source) {
        ask(turn, &kept);
    }
    Ok(())
}

/// Whose word a message is.
fn trust_of(message: &Message) -> Trust {
    if message.role == Role::User && !message.untrusted { Trust::Member } else { Trust::Untrusted }
}

// ---- prompts ----

/// The facts of an agent's prompt, as they are now.
pub(crate) fn shown(turn: &mut Turn<'_>) -> Shown {
    let within = turn.facts_in_reach();
    let shown = shown::choose(within.iter().map(|(key, fact)| (key, *fact)), &turn.policy.facts);
    if shown.shadowed > 0 {
        turn.note(Reason::FactShadowed);
    }
    shown
}
