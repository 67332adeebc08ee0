//! Adds and removes facts during a turn: those that people ask to remember, state in passing, decide on
//! record or state through the API, and those that a model proposes. Withdraws them when their message,
//! draft or epic changes (`docs/design/0027-facts.md`).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use crate::data::card::Card;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::event::{EventKind, FactStated};
use crate::data::fact::{
    Confidence, Fact, FactKey, FactOrigin, FactScope, FactSource, FactType, Trust, draft_from_scope,
    draft_scope,
};
use crate::data::fact_proposal::FactProposal;
use crate::data::id::{DraftId, FactId, MessageId};
use crate::data::message::{Message, MessageKind, Role};
use crate::data::pending::{PendingKind, Slot};
use crate::data::policy::hosting::BuiltIn;
use crate::data::policy::limits;
use crate::data::record::RecordKind;
use crate::data::record_lookup::RecordLookup;
use crate::data::ticket::{Draft, ItemType};
use crate::facts::merge::MergeOutcome;
use crate::facts::prompt_facts;
use crate::facts::prompt_facts::PromptFacts;
use crate::facts::proposal_check;
use crate::facts::proposal_check::CitedMessage;
use crate::facts::rules;
use crate::facts::rules::StatedFact;
use crate::messages::fact as words;
use crate::turn::Turn;
use crate::turn::facts::KeptStatement;
use crate::turn::routed_message::actor_is_trusted;
use crate::turn::tracked_issues;
use throughline_language::{Expected, Words};
use throughline_messages as say;

/// A statement by the acting person, at this moment. The confidence of an untrusted person is limited by
/// the policy.
fn own(turn: &Turn<'_>, text: String, percent: u8, message: Option<MessageId>) -> FactSource {
    let trust = if actor_is_trusted(turn) { Trust::Member } else { Trust::Untrusted };
    let most = if trust == Trust::Member { percent } else { percent.min(turn.policy.facts.untrusted_max) };
    FactSource {
        at: turn.event.received_at,
        author: turn.event.actor.clone(),
        text,
        confidence: Confidence::from_percent(most),
        trust,
        origin: FactOrigin::User,
        subject: None,
        lane: None,
        message,
    }
}

// ---- the place of a fact ----

/// The place of a scope, seen from this lane; `None` if it is not clear which epic is meant.
fn place(turn: &Turn<'_>, scope: FactScope) -> Option<FactKey> {
    match scope {
        FactScope::Thread => Some(FactKey::thread(&turn.lane.key)),
        FactScope::Channel => Some(FactKey::channel(&turn.lane.key)),
        FactScope::Epic => epic(turn).map(|id| FactKey::epic(&turn.lane.key.tenant, &id)),
    }
}

/// The scope id of an epic's draft: its issue's key once the issue exists, so that later statements are
/// kept there too.
fn scope_of(draft: &Draft) -> String {
    draft.created.as_ref().map_or_else(|| draft_scope(&draft.id), |created| created.key.clone())
}

/// The scope id under which facts of an epic are kept: its issue's key, also if the epic is named by its
/// draft.
pub(super) fn epic_scope_id(known: &dyn RecordLookup, epic: &str) -> String {
    let draft = draft_from_scope(epic).and_then(|draft| known.get::<Draft>(&draft));
    draft.map_or_else(|| epic.into(), scope_of)
}

fn epics<'d>(drafts: impl Iterator<Item = &'d Draft>) -> BTreeSet<String> {
    drafts.filter(|draft| draft.item_type == ItemType::Epic).map(scope_of).collect()
}

/// The one epic that is meant: the epic of the card in focus, else the only epic drafted in this lane, else
/// the only issue that the thread tracks. `None` if there is no such epic or more than one.
fn epic(turn: &Turn<'_>) -> Option<String> {
    let anchor = turn.focus.as_ref().and_then(|focus| focus.anchor_id());
    let focused = anchor.and_then(|anchor| turn.card_shown_by(anchor)).map(|card| turn.drafts_of(card));
    let tracked = || tracked_issues::keys(turn).into_iter().collect();
    let only = |found: BTreeSet<String>| (found.len() == 1).then(|| found.into_iter().next()).flatten();
    let focused = epics(focused.iter().flatten());
    if !focused.is_empty() {
        return only(focused);
    }
    let here = epics(turn.loaded::<Draft>());
    only(if here.is_empty() { tracked() } else { here })
}

// ---- statements by people ----

/// Handles "remember that …": keeps the fact and answers.
pub(crate) fn asked(turn: &mut Turn<'_>) -> Option<Decision> {
    let stated = rules::asked(&turn.said.as_ref()?.words)?;
    noted(turn, as_trusted(turn, stated))
}

/// Handles a message that is one statement and nothing else ("We decided …"): keeps the fact and answers.
pub(crate) fn only_stated(turn: &mut Turn<'_>) -> Option<Decision> {
    let stated = rules::only(&turn.said.as_ref()?.words)?;
    let stated = as_trusted(turn, stated);
    let scope = stated.scope.filter(|_| actor_is_trusted(turn));
    noted(turn, StatedFact { scope, ..stated })
}

/// Returns a statement as it may be kept of who acts: that of somebody who is not trusted is an assumption.
fn as_trusted(turn: &Turn<'_>, stated: StatedFact) -> StatedFact {
    match actor_is_trusted(turn) {
        true => stated,
        false => StatedFact { kind: FactType::Assumption, ..stated },
    }
}

/// Keeps a statement of this message and answers, so that [`keep_stated_facts`] skips it.
fn noted(turn: &mut Turn<'_>, stated: StatedFact) -> Option<Decision> {
    let message = turn.said.as_ref()?.message.clone();
    turn.books.answered = true;
    let scope = stated.scope.unwrap_or(FactScope::Thread);
    Some(explicit(turn, stated, scope, None, Some(message)))
}

/// Keeps a fact that is stated outright, by a message or through the API, and answers with the result.
fn explicit(
    turn: &mut Turn<'_>,
    stated: StatedFact,
    scope: FactScope,
    key: Option<FactKey>,
    message: Option<MessageId>,
) -> Decision {
    let answer = |turn: &mut Turn<'_>, text: &str, verdict, reason| {
        turn.say(MessageKind::Answer, None, text);
        Decision::new(verdict, reason)
    };
    let Some(text) = proposal_check::sentence(&stated.text) else {
        return answer(turn, &say::fact_no_such(turn.language()), Verdict::Answered, Reason::FactUnknown);
    };
    if scope != FactScope::Thread && !actor_is_trusted(turn) {
        return answer(
            turn,
            &say::fact_members_only(turn.language()),
            Verdict::Refused,
            Reason::FactForbidden,
        );
    }
    let Some(key) = key.or_else(|| place(turn, scope)).filter(|key| turn.has_facts(key)) else {
        return answer(turn, &say::fact_which_epic(turn.language()), Verdict::Refused, Reason::FactNoPlace);
    };
    let mut source = own(turn, text, stated.percent(), message);
    source.subject = stated.subject.as_deref().and_then(proposal_check::subject);
    let Some(kept) = turn.keep_fact(&key, stated.kind, source) else {
        return answer(turn, &say::fact_was_erased(turn.language()), Verdict::Answered, Reason::FactErased);
    };
    let Some(fact) = turn.fact(&kept.key, &kept.id) else {
        return answer(turn, &say::fact_full(turn.language()), Verdict::Answered, Reason::FactEvicted);
    };
    if ask(turn, &kept) {
        return Decision::new(Verdict::Asked, Reason::FactDisputed);
    }
    let over: Vec<Fact> = kept.over.iter().filter_map(|id| turn.fact(&kept.key, id)).collect();
    match kept.joined {
        MergeOutcome::Unchanged => {
            answer(turn, &words::known(turn.language(), &fact), Verdict::Answered, Reason::FactUnchanged)
        }
        MergeOutcome::Merged if over.is_empty() => {
            answer(turn, &words::known(turn.language(), &fact), Verdict::Answered, Reason::FactMerged)
        }
        MergeOutcome::Merged => {
            answer(turn, &words::noted(turn.language(), &fact, &over), Verdict::Answered, Reason::FactMerged)
        }
        MergeOutcome::Added => {
            answer(turn, &words::noted(turn.language(), &fact, &over), Verdict::Answered, Reason::FactAdded)
        }
    }
}

/// Keeps the facts that a routed message states in passing, without an answer.
pub(crate) fn keep_stated_facts(turn: &mut Turn<'_>, decision: &Decision) {
    let event = turn.event;
    let EventKind::MessagePosted(posted) = &event.kind else { return };
    let taken = !matches!(decision.outcome, Verdict::Ignored | Verdict::Observed)
        && decision.reason != Reason::MessageTooMuch;
    // What a proposal took in is kept as a fact when it is posted.
    let proposed = decision.reason == Reason::DraftEdited && turn.wrote(RecordKind::Proposal);
    let command = turn.policy.command.rest(&posted.text).is_some();
    let Some(message) = turn.said.as_ref().map(|said| said.message.clone()) else { return };
    if !taken || command || proposed || !turn.hosting.has(BuiltIn::Facts) {
        return;
    }
    let answered = usize::from(turn.books.answered);
    // If nothing was removed from the text for routing, its words have been split already.
    let text = turn.truncated(&posted.text);
    let cut = turn.said.clone().filter(|said| said.text() == text);
    let stated = cut.map_or_else(|| rules::stated(&Words::of(text)), |said| rules::stated(&said.words));
    for stated in stated.into_iter().skip(answered) {
        hear(turn, stated, &message);
    }
}

/// Keeps one statement of a message: a member's as it is, an untrusted person's as an assumption of this
/// thread.
fn hear(turn: &mut Turn<'_>, stated: StatedFact, message: &MessageId) {
    let member = actor_is_trusted(turn);
    let scope = stated.scope.filter(|_| member).unwrap_or(FactScope::Thread);
    let kind = if member { stated.kind } else { FactType::Assumption };
    let Some(text) = proposal_check::sentence(&stated.text) else { return };
    let Some(key) = place(turn, scope).filter(|key| turn.has_facts(key)) else {
        turn.note(Reason::FactNoPlace);
        return;
    };
    let mut source = own(turn, text, stated.percent(), Some(message.clone()));
    source.subject = stated.subject.as_deref().and_then(proposal_check::subject);
    if let Some(kept) = turn.keep_fact(&key, kind, source) {
        ask(turn, &kept);
    }
}

/// Handles a fact that somebody states through the API.
pub(crate) fn stated(turn: &mut Turn<'_>, fact: &FactStated) -> Decision {
    let epic = fact.epic.as_deref().filter(|_| fact.scope == FactScope::Epic);
    let key = epic.map(|epic| FactKey::epic(&turn.lane.key.tenant, &epic_scope_id(turn, epic)));
    let stated = StatedFact {
        kind: fact.kind,
        scope: Some(fact.scope),
        subject: fact.subject.clone(),
        text: fact.text.clone(),
        asked: true,
    };
    explicit(turn, stated, fact.scope, key, None)
}

/// Handles the removal of a fact. Its author and members may remove it.
pub(crate) fn retracted(turn: &mut Turn<'_>, key: &FactKey, id: &FactId) -> Decision {
    let refused = |turn: &mut Turn<'_>, text: &str, reason| {
        turn.tell(text);
        Decision::new(Verdict::Refused, reason)
    };
    let Some(fact) = turn.fact(key, id) else {
        return refused(turn, &say::fact_no_such(turn.language()), Reason::FactUnknown);
    };
    if fact.author != turn.event.actor && !actor_is_trusted(turn) {
        return refused(turn, &say::fact_not_yours(turn.language()), Reason::FactForbidden);
    }
    turn.erase_fact(key, id);
    turn.tell(&say::fact_forgotten(turn.language()));
    Decision::new(Verdict::Done, Reason::FactErased)
}

// ---- disputed facts ----

/// Asks which of two facts holds if this statement has just been disputed, and returns true if it asked.
/// Only a member is asked, because only a member's answer counts, and not while another question to a
/// person or a model is open.
fn ask(turn: &mut Turn<'_>, kept: &KeptStatement) -> bool {
    let Some(holder) = &kept.holder else { return false };
    let (Some(earlier), Some(now)) = (turn.fact(&kept.key, holder), turn.fact(&kept.key, &kept.id)) else {
        return false;
    };
    if !now.is_trusted() || turn.conversational().is_some() || turn.head.ask.is_some() {
        return false;
    }
    let asked = turn.say(MessageKind::Question, None, &words::which(turn.language(), &earlier, &now));
    let parts = earlier.subject.is_some() && earlier.subject == now.subject;
    let kind = PendingKind::ClarificationNeeded(Slot::Facts {
        key: kept.key.clone(),
        earlier: holder.clone(),
        now: kept.id.clone(),
    });
    let of = now.author;
    turn.open_pending(
        kind,
        Some(Expected::OneOf(words::choices(turn.language(), parts))),
        &asked,
        None,
        Some(&of),
        None,
    );
    true
}

/// Takes the answer to "which of the two holds?" as one more statement of that fact. "Both" removes their
/// subject, so they no longer contradict each other.
pub(crate) fn answered(turn: &mut Turn<'_>, key: &FactKey, earlier: &FactId, now: &FactId, value: &str) {
    let message = turn.said.as_ref().map(|said| said.message.clone());
    let told = if value == words::BOTH {
        turn.part_facts(key, earlier);
        words::both_hold(turn.language(), key.scope)
    } else {
        let chosen = if value == words::FIRST { earlier } else { now };
        let Some(fact) = turn.fact(key, chosen) else {
            turn.say(MessageKind::Answer, None, &say::fact_no_such(turn.language()));
            return;
        };
        // The later statement was an assumption; choosing it is a decision.
        let kind = if value == words::FIRST { fact.kind } else { firm(fact.kind) };
        let mut source = own(turn, fact.text.clone(), limits::FACT_ASKED, message);
        source.subject.clone_from(&fact.subject);
        let kept = turn.keep_fact(key, kind, source);
        let held = kept.and_then(|kept| turn.fact(key, &kept.id)).unwrap_or(fact);
        words::holds(turn.language(), &held)
    };
    turn.note(Reason::FactResolved);
    turn.say(MessageKind::Answer, None, &told);
}

fn firm(kind: FactType) -> FactType {
    if kind == FactType::Assumption { FactType::Decision } else { kind }
}

// ---- decisions and drafts ----

/// Keeps a decision that was posted as a fact of its channel.
pub(crate) fn decided(turn: &mut Turn<'_>, proposal: &crate::data::proposal::Proposal) {
    let Some(text) = proposal_check::sentence(&proposal.decision) else { return };
    let key = FactKey::channel(&proposal.to);
    let source = FactSource {
        at: turn.now(),
        // The author is the proposer, not whoever approved the post.
        author: proposal.by.clone(),
        text,
        confidence: Confidence::FULL,
        trust: Trust::Member,
        origin: FactOrigin::Decision,
        subject: None,
        lane: None,
        message: Some(proposal.source.clone()).filter(|source| !source.0.is_empty()),
    };
    turn.keep_fact(&key, FactType::Decision, source);
}

/// Moves the facts of an epic's draft to its new issue.
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

/// Removes the facts of those drafted epics of a closed preview that were never created.
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

// ---- edited and deleted messages ----

/// Renews the facts of a message that was edited or deleted: withdraws what it no longer states, and keeps
/// what it states now.
pub(crate) fn reworded(turn: &mut Turn<'_>, message: &Message, text: &str) {
    let now = rules::stated(&Words::of(text));
    let again: Vec<String> = now.iter().filter_map(|stated| proposal_check::sentence(&stated.text)).collect();
    let (lane, id) = (turn.lane.key.id(), &message.id);
    let gone = |key: &FactKey, source: &FactSource| {
        let here = key.scope == FactScope::Thread || source.lane.as_ref() == Some(&lane);
        let said = match source.origin {
            FactOrigin::Model => proposal_check::says(text, source.trust, &source.text),
            _ => again.contains(&source.text),
        };
        here && source.message.as_ref() == Some(id) && source.origin != FactOrigin::Decision && !said
    };
    if turn.withdraw_facts(&gone, false) {
        turn.note(Reason::FactWithdrawn);
    }
    let known: Vec<String> = turn.said_by(id);
    for stated in now {
        if !proposal_check::sentence(&stated.text).is_some_and(|text| known.contains(&text)) {
            hear(turn, stated, id);
        }
    }
}

// ---- proposals by models ----

/// Checks and keeps the facts that a model proposes with an answer. They have to cite one of the messages
/// `shown` in its prompt.
pub(crate) fn proposed(turn: &mut Turn<'_>, proposals: &[FactProposal], shown: &[MessageId]) {
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

fn propose(turn: &mut Turn<'_>, proposal: &FactProposal, shown: &[MessageId]) -> Result<(), Reason> {
    let message = shown.iter().find(|id| id.0 == proposal.message_id);
    let message = message.and_then(|id| turn.get::<Message>(id)).cloned();
    let cited =
        message.as_ref().map(|message| CitedMessage { text: &message.text, trust: trust_of(message) });
    let taken = proposal_check::check_proposal(proposal, cited, &turn.policy.facts)?;
    let message = message.ok_or(Reason::FactSourceUnknown)?;
    let key = place(turn, taken.scope).filter(|key| turn.has_facts(key)).ok_or(Reason::FactNoPlace)?;
    let source = FactSource {
        at: message.at,
        author: message.by.clone(),
        text: taken.text,
        confidence: taken.confidence,
        trust: taken.trust,
        origin: FactOrigin::Model,
        subject: taken.subject,
        lane: None,
        message: Some(message.id),
    };
    if let Some(kept) = turn.keep_fact(&key, taken.kind, source) {
        ask(turn, &kept);
    }
    Ok(())
}

/// The trust in a message: only a person who is a member speaks as a member.
fn trust_of(message: &Message) -> Trust {
    if message.role == Role::User && !message.untrusted { Trust::Member } else { Trust::Untrusted }
}

// ---- prompts ----

/// The facts for a prompt at this point of the turn.
pub(crate) fn shown(turn: &mut Turn<'_>) -> PromptFacts {
    let within = turn.facts_in_reach();
    let shown = prompt_facts::choose(within.iter().map(|(key, fact)| (key, *fact)), &turn.policy.facts);
    if shown.shadowed > 0 {
        turn.note(Reason::FactShadowed);
    }
    shown
}
