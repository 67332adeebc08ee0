//! A decision record up to its approval: requested, completed, shown, edited or cancelled
//! (`docs/design/0019-decision-records.md`).

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::cards::decide::{decide, end_of, refuse_step};
use crate::data::action::Action;
use crate::data::authors::Authors;
use crate::data::card::Card;
use crate::data::card::CardSubject;
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::{CardId, ProposalId, ReviewId};
use crate::data::lane_key::LaneKey;
use crate::data::message::MessageKind;
use crate::data::pending::{PendingKind, Slot};
use crate::data::progress::Progress;
use crate::data::proposal::{CommentOffer, Proposal, ProposalField};
use crate::data::review::Review;
use crate::data::review::ReviewEnding;
use crate::data::task_status::TaskStatus;
use crate::decision_records::extract;
use crate::decision_records::extract::ExtractedDecision;
use crate::decision_records::proposal_of;
use crate::decision_records::{comment, publish, tracked_issues};
use crate::messages::proposal as sentences;
use crate::review;
use crate::turn::Turn;
use crate::turn::routed_message::focus;
use crate::turn::routed_message::text_of;
use throughline_language::Expected;
use throughline_messages as say;

/// Handles "record the decision: …". `rest` is the text behind that phrase. If it names neither a decision
/// nor a topic, a review in reach is recorded; if it names no decision, the replied-to message is.
pub(crate) fn asked(turn: &mut Turn<'_>, by: &str, rest: &str) -> Decision {
    let mut found = extract::request(rest, &turn.policy.decision);
    let mut authors = Authors::of(by);
    let shown = |verdict| Decision::new(verdict, Reason::DecisionProposed);
    if found.decision.is_empty()
        && found.topic.is_empty()
        && let Some(review) = review::lifecycle::in_reach(turn)
    {
        return shown(record_review(turn, review, by));
    }
    if found.decision.is_empty()
        && let Some((text, author)) = replied_to(turn)
    {
        let topic = found.topic;
        authors.add_all(&author);
        found = extract::plain(&text, &turn.policy.decision);
        if !topic.is_empty() {
            found.topic = topic;
        }
    }
    shown(begin(turn, found, None, by, &authors))
}

/// The text of the replied-to message and who wrote it, unless that message shows a card.
fn replied_to(turn: &Turn<'_>) -> Option<(String, Authors)> {
    let focus = focus(turn);
    let anchor = focus.anchor_id().filter(|_| focus.replies() && turn.said.is_some())?;
    let said = (text_of(turn, anchor).to_string(), Authors::of(turn.author_of(anchor)));
    Some(said).filter(|_| turn.card_shown_by(anchor).is_none())
}

/// Begins a proposal from a review: its topic, its merged decisions, and the reasons that stand in those
/// decisions.
pub(crate) fn from_review(turn: &mut Turn<'_>, review: &Review, by: &str) -> Verdict {
    let policy = &turn.policy.decision;
    let decisions = review.merged().decisions;
    let each: Vec<ExtractedDecision> = decisions.iter().map(|text| extract::plain(text, policy)).collect();
    let lines = |of: &dyn Fn(&ExtractedDecision) -> &String| {
        let written = each.iter().map(of).filter(|text| !text.is_empty()).map(String::as_str);
        written.collect::<Vec<_>>().join("\n")
    };
    let found = ExtractedDecision {
        topic: review.topic.clone(),
        decision: extract::cut(&lines(&|said| &said.decision), policy.chars),
        why: extract::cut(&lines(&|said| &said.why), policy.why_chars),
        issues: Vec::new(),
        mentioned: extract::keys(&decisions.join(" ")),
    };
    begin(turn, found, Some(review.id.clone()), by, &review.authors())
}

/// Handles a press of *Record the decision* on a review's card.
fn record_pressed(turn: &mut Turn<'_>, card: &Card) -> Decision {
    let Some(review) = review::lifecycle::subject(turn, card) else { return refuse_step(turn) };
    let by = turn.event.actor.clone();
    record_review(turn, review, &by);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// Freezes an active review, and shows the preview of a decision made from it. The review keeps its
/// artifact.
fn record_review(turn: &mut Turn<'_>, mut review: Review, by: &str) -> Verdict {
    if review.is_active() {
        review::lifecycle::freeze(turn, &mut review, ReviewEnding::Decided);
    }
    from_review(turn, &review, by)
}

/// Begins a proposal as a task of its own. If the text names no issues, the proposal takes those that the
/// thread tracks.
fn begin(
    turn: &mut Turn<'_>,
    found: ExtractedDecision,
    review: Option<ReviewId>,
    by: &str,
    authors: &Authors,
) -> Verdict {
    let nothing = say::decision_a_decision(turn.language());
    let intent = if found.decision.is_empty() { &nothing } else { &found.decision };
    let task = turn.start_task(intent, by);
    let source = turn.source();
    let lane = &turn.lane.key;
    let proposal = Proposal {
        id: ProposalId(turn.new_id(ProposalId::PREFIX)),
        task,
        source,
        by: by.into(),
        language: turn.language(),
        topic: String::new(),
        decision: String::new(),
        why: String::new(),
        issues: Vec::new(),
        written: BTreeMap::new(),
        review,
        to: LaneKey { thread: String::new(), ..lane.clone() },
        thread: turn.given.here.clone().unwrap_or_else(|| say::decision_thread(turn.language(), lane.id())),
        posted: None,
    };
    go_on(turn, proposal, found, authors)
}

/// Fills the proposal from the text that was read, and whose words that is. Asks for the decision if it is still missing, else shows
/// the preview.
fn go_on(
    turn: &mut Turn<'_>,
    mut proposal: Proposal,
    found: ExtractedDecision,
    authors: &Authors,
) -> Verdict {
    let ExtractedDecision { topic, decision, why, mut issues, mentioned } = found;
    let known = tracked_issues::of(turn, &mentioned);
    issues.extend(known.into_iter().filter(|key| !issues.contains(key)).collect::<Vec<_>>());
    proposal.issues = if issues.is_empty() { tracked_issues::keys(turn) } else { issues };
    proposal.issues.truncate(crate::data::policy::limits::DECISION_ISSUES);
    proposal.write(ProposalField::Decision, &decision, authors);
    proposal.write(ProposalField::Why, &why, authors);
    if !topic.is_empty() {
        proposal.write(ProposalField::Topic, &topic, authors);
    }
    let (id, task, by) = (proposal.id.clone(), proposal.task.clone(), proposal.by.clone());
    if proposal.decision.is_empty() {
        turn.put(proposal);
        let anchor = turn.say(MessageKind::Question, Some(&task), &say::decision_what(turn.language()));
        let kind = PendingKind::SlotRequest(Slot::Proposal { proposal: id });
        turn.open_pending(kind, Some(Expected::Text), &anchor, Some(&task), Some(&by), None);
        return Verdict::Asked;
    }
    if proposal.topic.is_empty() {
        let topic = review::topic_of(&proposal.decision, turn.policy);
        proposal.write(ProposalField::Topic, &topic, &proposal.authors(ProposalField::Decision));
    }
    turn.put(proposal);
    show(turn, &id);
    Verdict::Shown
}

/// Shows a proposal for approval, either for the first time or again after its post failed for good.
pub(super) fn show(turn: &mut Turn<'_>, id: &ProposalId) {
    if let Some(proposal) = turn.get::<Proposal>(id).cloned() {
        let about = CardSubject::DecisionPreview { decision: id.clone(), comment: CommentOffer::None };
        turn.show(about, &proposal.by, Some(&proposal.task));
    }
}

/// Takes the answer to the question "what was decided?".
pub(crate) fn filled(turn: &mut Turn<'_>, id: &ProposalId, text: &str) {
    let Some(proposal) = turn.get::<Proposal>(id).cloned() else { return };
    let found = extract::plain(text, &turn.policy.decision);
    let _ = go_on(turn, proposal, found, &turn.writer());
}

// ---- presses ----

/// Handles a button of a decision's card. Access and version have been checked.
pub(crate) fn pressed(turn: &mut Turn<'_>, card: Card, action: Action) -> Decision {
    let done = Decision::new(Verdict::Done, Reason::PressApplied);
    match action {
        Action::ApproveDecision => return record_pressed(turn, &card),
        Action::Approve => publish::approve(turn, card),
        Action::Edit => return ask_edit(turn, &card),
        Action::Comment => return comment::pressed(turn, card),
        Action::Adopt => publish::adopt(turn, card, None),
        Action::CreateAgain => publish::again(turn, card),
        Action::Cancel if matches!(card.about, CardSubject::DecisionUncertain { .. }) => {
            publish::give_up(turn, card)
        }
        Action::Cancel => {
            end_of(turn, &card, TaskStatus::Cancelled);
            decide(turn, card, action, Progress::None);
        }
        _ => return refuse_step(turn),
    }
    done
}

/// Handles a form of a decision's card. Access and version have been checked.
pub(crate) fn submitted(
    turn: &mut Turn<'_>,
    card: Card,
    action: Action,
    values: &BTreeMap<String, String>,
) -> Decision {
    match action {
        Action::Edit => edit_by_form(turn, card, values),
        Action::Adopt => {
            let link = values.get("key").map(|text| text.trim()).filter(|text| text.starts_with("http"));
            publish::adopt(turn, card, link.map(String::from));
            Decision::new(Verdict::Done, Reason::PressApplied)
        }
        _ => invalid(turn, &say::press_no_form(turn.language(), action.label(turn.language()))),
    }
}

// ---- edits ----

/// Handles a press of *Edit* by asking for the change in words. A channel with forms opens one from the
/// card's fields besides.
fn ask_edit(turn: &mut Turn<'_>, card: &Card) -> Decision {
    let Some(proposal) = proposal_of(turn, card) else { return refuse_step(turn) };
    let anchor =
        turn.say(MessageKind::Question, Some(&proposal.task), &say::decision_edit_how(turn.language()));
    let (kind, asked) =
        (PendingKind::WaitingDecisionEdit { card: card.id.clone() }, turn.event.actor.clone());
    turn.open_pending(kind, Some(Expected::Text), &anchor, Some(&proposal.task), Some(&asked), None);
    Decision::new(Verdict::Asked, Reason::PressApplied)
}

/// Applies an edit in words. A labelled line replaces the field it names; unlabelled text replaces the
/// decision, unless a line is labelled so. If the unlabelled text gives a reason and no line is labelled
/// "why", that reason is replaced too.
pub(crate) fn edit_by_text(turn: &mut Turn<'_>, card: &CardId, text: &str) {
    let Some(card) = turn.get::<Card>(card).cloned().filter(Card::is_open) else {
        return turn.tell(&say::press_stale(turn.language()));
    };
    let (mut entries, free) = extract::labelled(text);
    let said_so = entries.iter().any(|(entry, _)| *entry == ProposalField::Decision);
    if !said_so && !free.trim().is_empty() {
        let said = extract::plain(&free, &turn.policy.decision);
        let why = said.why.is_empty() || entries.iter().any(|(entry, _)| *entry == ProposalField::Why);
        entries.push((ProposalField::Decision, said.decision));
        entries.extend(Some((ProposalField::Why, said.why)).filter(|_| !why));
    }
    write(turn, card, entries);
}

/// Writes fields of an open proposal and shows its card as a new version, or tells why none is written.
pub(super) fn write(turn: &mut Turn<'_>, card: Card, entries: Vec<(ProposalField, String)>) {
    let Some(mut proposal) = proposal_of(turn, &card) else { return };
    let (before, by) = (proposal.clone(), turn.writer());
    entries.iter().for_each(|(entry, text)| proposal.write(*entry, text, &by));
    match wrong(turn, &proposal) {
        Some(text) => turn.tell(&text),
        None if proposal == before => turn.tell(&say::edit_nothing_changed(turn.language())),
        None => revise(turn, card, proposal),
    }
}

/// Applies an edit by form: every field of it, or none if one is invalid.
fn edit_by_form(turn: &mut Turn<'_>, card: Card, values: &BTreeMap<String, String>) -> Decision {
    let Some(mut proposal) = proposal_of(turn, &card) else { return refuse_step(turn) };
    let (before, by) = (proposal.clone(), turn.writer());
    for (name, text) in values {
        match ProposalField::parse(name) {
            Some(entry) => proposal.write(entry, text, &by),
            None => return invalid(turn, &say::edit_unknown_field(turn.language(), name)),
        }
    }
    if let Some(text) = wrong(turn, &proposal) {
        return invalid(turn, &text);
    }
    if proposal == before {
        return invalid(turn, &say::edit_nothing_changed(turn.language()));
    }
    let of_this =
        |kind: &PendingKind| matches!(kind, PendingKind::WaitingDecisionEdit { card: of } if *of == card.id);
    turn.head.pendings.retain(|pending| !of_this(&pending.kind));
    revise(turn, card, proposal);
    Decision::new(Verdict::Done, Reason::PressApplied)
}

/// The text that refuses a proposal with a field that is empty or too long; `None` if all fields are within
/// bounds.
fn wrong(turn: &Turn<'_>, proposal: &Proposal) -> Option<String> {
    let limits = &turn.policy.decision;
    let bounds = [
        (ProposalField::Topic, limits.topic_chars),
        (ProposalField::Decision, limits.chars),
        (ProposalField::Why, limits.why_chars),
    ];
    bounds.into_iter().find_map(|(entry, most)| {
        let chars = proposal.entry(entry).chars().count();
        let needed = entry != ProposalField::Why;
        // A text that was cut ends in "…", which is one character more.
        (chars > most + 1 || needed && chars == 0)
            .then(|| sentences::form_bounds(turn.language(), entry, needed, most))
    })
}

fn invalid(turn: &mut Turn<'_>, text: &str) -> Decision {
    turn.tell(text);
    Decision::new(Verdict::Refused, Reason::FormInvalid)
}

/// Stores the changed proposal and shows the card as a new version, because the text to approve is another
/// one.
fn revise(turn: &mut Turn<'_>, card: Card, proposal: Proposal) {
    let about = card.about.clone();
    turn.put(proposal);
    turn.revise(card, about);
}
