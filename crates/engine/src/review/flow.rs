//! The way of one review: begun, answered with patches, frozen, handed over, superseded, forgotten (`spec 03 §4`).

use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use super::extract::{self, Stated};
use super::{Ended, Kind, Patch, Points, Review, Section, Status, patch, topic};
use crate::ask::{Asked, Question, Reviewed, arbitrate};
use crate::decision::{Decision, Reason, Verdict};
use crate::decisions::flow as decisions;
use crate::focus::Need;
use crate::id::{CardId, MessageId, ReviewId, TaskId};
use crate::intent::Intent;
use crate::intent::rules::Ruling;
use crate::intent::several::Several;
use crate::lane::{Message, MessageKind, Record, RecordKind, Role, TaskStatus};
use crate::policy::limits;
use crate::recognize::Words;
use crate::rungs::focus;
use crate::say::review as words;
use crate::tickets::{self, Sources, batch};
use crate::trace::Rung;
use crate::turn::{Said, Turn};
use crate::workflow::press::refuse_step;
use crate::workflow::{About, Action, Card, CardStatus};

/// Whether somebody asked for a review in so many words. What only seems to want one starts none on a topic that was
/// reviewed here (`spec 03 §4`).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    /// By a request, a command or a button.
    Explicitly,
    /// A model says so, or the thread remembers.
    Implicitly,
}

impl Asks {
    /// By the reason for which an intent is acted on.
    pub(crate) fn of(reason: Reason) -> Self {
        match reason {
            Reason::IntentModel | Reason::IntentRemembered => Self::Implicitly,
            _ => Self::Explicitly,
        }
    }
}

/// Starts a review of what `text` says, or points at. What it came to, and why when that is not the caller's reason.
pub(crate) fn start(turn: &mut Turn<'_>, text: &str, by: &str, asks: Asks) -> (Verdict, Option<Reason>) {
    let context = context(turn, text);
    let topic = match topic::topic(text, context.last().map(String::as_str), turn.policy) {
        nothing if nothing.is_empty() => words::THIS_THREAD.into(),
        topic => topic,
    };
    if asks == Asks::Implicitly
        && let Some(known) = reviewed(turn, &topic)
    {
        let frozen_at = known.artifact(turn.now()).frozen_at;
        turn.say(MessageKind::Answer, Some(&known.task), &words::known(&known, frozen_at, turn.now()));
        return (Verdict::Answered, Some(Reason::ReviewKnown));
    }
    let named = extract::kind(&Words::of(text));
    let kind = named.unwrap_or_default();
    let stated: Vec<Stated> = context
        .iter()
        .map(String::as_str)
        .chain([text])
        .flat_map(|text| extract::sentences(text, turn.policy))
        .take(limits::REVIEW_SENTENCES)
        .collect();
    let task = turn.start_task(if text.is_empty() { &topic } else { text }, by);
    let language = turn.given.actor.as_ref().and_then(|actor| actor.language.clone()).unwrap_or_default();
    let review = Review {
        id: ReviewId::of(&task),
        kind,
        version: 1,
        topic,
        summary: summary(&stated),
        points: Points { changes: Vec::new(), ..extract::points(&stated) },
        checks: extract::checklist(kind, &stated, &language),
        patches: Vec::new(),
        status: Status::Drafting,
        card: CardId::from(""),
        task,
        by: by.into(),
        source: turn.said.as_ref().map_or_else(|| MessageId::from(""), |said| said.message.clone()),
        last_at: turn.now(),
        handed: None,
    };
    let question = Question::Review { kind: named.map(|kind| kind.word().into()) };
    if arbitrate::open(turn, Asked::Review(review.id.clone()), question) {
        turn.put(Record::Review(review));
        return (Verdict::Deferred, None);
    }
    show(turn, review);
    (Verdict::Shown, None)
}

/// What is reviewed beside the message itself: around the message it replies to, else what people said in the lane's
/// window and, where the message states nothing itself, what the focus is on. What was said for other work belongs to
/// that, and a command to us states nothing.
fn context(turn: &Turn<'_>, text: &str) -> Vec<String> {
    let focus = focus(turn);
    let said = turn.said.as_ref().map(|said| &said.message);
    let mine = said.and_then(|said| turn.message_ref(&said.0)).and_then(|message| message.task.as_ref());
    let of_other_work = |message: &Message| {
        message.task.as_ref().is_some_and(|task| Some(task) != mine && turn.task(task).is_some())
    };
    let bare = || extract::sentences(text, turn.policy).is_empty();
    let points = focus.replies() || turn.reference.need == Need::NeedsAnchor && bare();
    let counts = |message: &&Message| {
        let meant = points && Some(&message.id) == focus.anchor_id();
        (meant || message.role == Role::User)
            && message.card.is_none()
            && Some(&message.id) != said
            && turn.policy.command.rest(&message.text).is_none()
            && !of_other_work(message)
    };
    let window = focus.window(turn.lane, turn.given).into_iter();
    window.filter(counts).map(|message| message.text.clone()).collect()
}

/// The first sentences that state something, as they were said: those that are no point of their own, if there are any.
fn summary(stated: &[Stated]) -> String {
    let first = |fits: &dyn Fn(Section) -> bool| {
        let states = stated.iter().filter(|one| fits(one.section)).take(limits::REVIEW_SUMMARY);
        states.map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    let plain = first(&|section| section == Section::Changes);
    if plain.is_empty() { first(&|section| section != Section::Questions) } else { plain }
}

/// A review of this lane that is over and was about the same.
fn reviewed(turn: &Turn<'_>, topic: &str) -> Option<Review> {
    let over = |review: &Review| matches!(review.status, Status::Frozen { .. } | Status::Superseded { .. });
    turn.reviews().find(|review| over(review) && topic::same(&review.topic, topic, turn.policy))
}

/// A model wrote the review, or did not: then it is the checklist.
pub(crate) fn written(turn: &mut Turn<'_>, id: &ReviewId, answer: Option<Reviewed>) -> Decision {
    let decision = |verdict| Decision {
        rung: Rung::Intent,
        ..Decision::new(verdict, Reason::Reviewed).with_intent(Intent::Review)
    };
    let Some(mut review) = turn.review(id).filter(|review| review.status == Status::Drafting) else {
        return decision(Verdict::Recorded);
    };
    if let Some(answer) = answer {
        // The kind a person named is theirs to say.
        let named = turn.task(&review.task).and_then(|task| extract::kind(&Words::of(&task.intent)));
        review.kind = named.or_else(|| Kind::from_word(&answer.kind)).unwrap_or(review.kind);
        review.topic = answer.topic.trim().chars().take(turn.policy.review.topic_chars).collect();
        review.summary = answer.summary;
        review.points = Points {
            decisions: answer.decisions,
            risks: answer.risks,
            questions: answer.questions,
            changes: Vec::new(),
        };
        review.checks.clear();
    }
    // What was remembered since it was asked for does not end with the review before it.
    let begun = turn.task(&review.task).map_or(turn.now(), |task| task.created_at);
    let since = turn.head.remembered.clone().filter(|mode| mode.since >= begun);
    show(turn, review);
    turn.head.remembered = since.or(turn.head.remembered.take());
    decision(Verdict::Shown)
}

/// Shows a review for the first time. The one before it is over.
fn show(turn: &mut Turn<'_>, mut review: Review) {
    let older = current(turn);
    review.status = Status::Active;
    review.last_at = turn.now();
    turn.put(Record::Review(review.clone()));
    let about = About::ReviewActive { review: review.id.clone() };
    review.card = turn.show(about, &review.by.clone(), Some(&review.task));
    let card = review.card.clone();
    turn.put(Record::Review(review));
    if let Some(older) = older {
        leave(
            turn,
            older,
            |artifact| Status::Superseded { artifact, by: card.clone() },
            CardStatus::Superseded { by: card.clone() },
        );
    }
}

/// The lane's review that is active or frozen.
pub(crate) fn current(turn: &Turn<'_>) -> Option<Review> {
    turn.reviews().find(Review::current)
}

/// A review leaves {active, frozen}, and with it the remembered mode ends (`spec 03 §2`).
fn leave(
    turn: &mut Turn<'_>,
    mut review: Review,
    status: impl FnOnce(super::ReviewArtifact) -> Status,
    over: CardStatus,
) {
    review.status = status(review.artifact(turn.now()));
    let id = review.card.clone();
    let (task, about) = (review.task.clone(), About::ReviewFrozen { review: review.id.clone() });
    turn.put(Record::Review(review));
    if let Some(card) = turn.card(&id) {
        turn.update(Card { about, status: over, ..card });
    }
    turn.end_task(&task, TaskStatus::Completed);
    turn.forget_mode();
}

/// Freezes a review: what it came to stays, and starts nothing by itself.
pub(crate) fn freeze(turn: &mut Turn<'_>, review: &mut Review, ended: Ended) {
    let artifact = review.artifact(turn.now());
    review.status = Status::Frozen { artifact, ended };
    turn.put(Record::Review(review.clone()));
    if let Some(card) = turn.card(&review.card) {
        turn.move_on(card, About::ReviewFrozen { review: review.id.clone() });
    }
    turn.end_task(&review.task, TaskStatus::Completed);
}

/// Nobody answered for the time policy gives: it freezes, and only its card says so.
pub(crate) fn cooled_down(turn: &mut Turn<'_>, card: &Card) -> Reason {
    let review = subject(turn, card).filter(Review::active);
    let Some(mut review) = review else { return Reason::TimerSuperseded };
    freeze(turn, &mut review, Ended::Idle);
    Reason::ReviewIdle
}

fn subject(turn: &Turn<'_>, card: &Card) -> Option<Review> {
    match &card.about {
        About::ReviewActive { review } | About::ReviewFrozen { review } => turn.review(review),
        _ => None,
    }
}

// ---- feedback ----

/// The whole message acknowledges the review.
pub(crate) fn completed(turn: &mut Turn<'_>, mut review: Review) -> Decision {
    let by = turn.presser().name;
    freeze(turn, &mut review, Ended::Completed { by });
    turn.say(MessageKind::Answer, Some(&review.task), &words::complete(&review));
    Decision::new(Verdict::Done, Reason::ReviewComplete)
}

/// The message says something to the review: the answer is a patch.
pub(crate) fn feedback(turn: &mut Turn<'_>, review: &Review, text: &str) -> Decision {
    if review.version >= limits::REVIEW_VERSIONS {
        turn.say(MessageKind::Answer, Some(&review.task), &words::full_up(review.version));
        put_off(turn, review.clone());
        return Decision::new(Verdict::Answered, Reason::ReviewFull).with_intent(Intent::Review);
    }
    let question = Question::Patch { review: as_it_stands(review), version: review.version };
    if arbitrate::open(turn, Asked::Patch(review.id.clone()), question) {
        put_off(turn, review.clone());
        return Decision::new(Verdict::Deferred, Reason::ReviewFeedback).with_intent(Intent::Review);
    }
    let points = patch::stated(review, text, turn.policy);
    patched(turn, review.clone(), points)
}

/// A model wrote the patch, or did not: then it is what the feedback states.
pub(crate) fn patch_written(
    turn: &mut Turn<'_>,
    id: &ReviewId,
    answer: Option<crate::ask::Patch>,
) -> Decision {
    let Some(review) = turn.review(id).filter(Review::active) else {
        turn.say(MessageKind::Answer, None, words::OVER_BEFORE);
        return Decision::new(Verdict::Answered, Reason::EffectSuperseded);
    };
    let points = match answer {
        Some(crate::ask::Patch { decisions, risks, questions, changes }) => {
            patch::new(&review, Points { decisions, risks, questions, changes })
        }
        None => {
            let said = turn.said.as_ref().map_or("", |said| said.text());
            patch::stated(&review, said, turn.policy)
        }
    };
    patched(turn, review, points)
}

/// Somebody answered it, whatever comes of that: its cooldown begins anew.
fn put_off(turn: &mut Turn<'_>, mut review: Review) {
    review.last_at = turn.now();
    if let Some(card) = turn.card(&review.card) {
        turn.put_off(card);
    }
    turn.put(Record::Review(review));
}

fn patched(turn: &mut Turn<'_>, mut review: Review, points: Points) -> Decision {
    let decision = |reason| Decision {
        rung: Rung::Review,
        ..Decision::new(Verdict::Answered, reason).with_intent(Intent::Review)
    };
    if points.is_empty() {
        turn.say(MessageKind::Answer, Some(&review.task), words::NOTHING_NEW);
        put_off(turn, review);
        return decision(Reason::ReviewUnchanged);
    }
    let by = turn.said.as_ref().map_or_else(|| turn.event.actor.clone(), |said| said.by.clone());
    review.version += 1;
    review.last_at = turn.now();
    let patch = Patch { version: review.version, by, points };
    let text = words::patch(&review, &patch, turn.policy.review.bullets);
    review.patches.push(patch);
    turn.put(Record::Review(review.clone()));
    if let Some(card) = turn.card(&review.card) {
        turn.revise(card, About::ReviewActive { review: review.id.clone() });
    }
    turn.say(MessageKind::Answer, Some(&review.task), &text);
    decision(Reason::ReviewPatched)
}

/// A review as a model is told of it.
fn as_it_stands(review: &Review) -> Reviewed {
    let Points { decisions, risks, questions, changes } = review.merged();
    let summary = words::updated_summary(&review.summary, &Points { changes, ..Points::default() });
    let (kind, topic) = (review.kind.word().into(), review.topic.clone());
    Reviewed { kind, topic, summary, decisions, risks, questions }
}

// ---- buttons ----

/// A button of a review's card; the checks are done.
pub(crate) fn pressed(turn: &mut Turn<'_>, card: &Card, action: Action) -> Decision {
    let Some(mut review) = subject(turn, card) else { return refuse_step(turn) };
    let done = Decision::new(Verdict::Done, Reason::PressApplied);
    match action {
        Action::ShowFull => {
            show_full(turn, card, &review);
            done
        }
        Action::Finish => {
            let by = turn.presser().name;
            freeze(turn, &mut review, Ended::Completed { by });
            done
        }
        Action::TurnIntoTicket if being_made(turn, &review) => {
            turn.tell(words::HANDED_ALREADY);
            Decision::new(Verdict::Refused, Reason::PressConsumed)
        }
        Action::TurnIntoTicket => {
            let by = turn.event.actor.clone();
            hand_over(turn, review, None, &by);
            done
        }
        Action::ApproveDecision => {
            let by = turn.event.actor.clone();
            record_decision(turn, review, &by);
            done
        }
        _ => refuse_step(turn),
    }
}

/// Tickets are being made of it.
fn being_made(turn: &Turn<'_>, review: &Review) -> bool {
    review.handed.as_ref().and_then(|task| turn.task(task)).is_some_and(|task| task.status.live())
}

/// Everything: a model's synthesis, else the original and every patch in order.
fn show_full(turn: &mut Turn<'_>, card: &Card, review: &Review) {
    let (message, by, words) = (card.message.clone(), turn.event.actor.clone(), Words::of(&review.topic));
    turn.said = Some(Rc::new(Said { message, by, words, since: turn.now() }));
    let question = Question::Synthesis { review: as_it_stands(review) };
    if arbitrate::open(turn, Asked::Synthesis(review.id.clone()), question) {
        turn.tell(words::WRITING);
    } else {
        let _ = synthesised(turn, &review.id, None);
    }
}

/// The synthesis is there, or there will be none.
pub(crate) fn synthesised(turn: &mut Turn<'_>, id: &ReviewId, text: Option<&str>) -> Decision {
    match turn.review(id).filter(Review::handable) {
        Some(review) => {
            let full = words::full(&review);
            turn.say(MessageKind::Answer, Some(&review.task), text.unwrap_or(&full));
        }
        None => {
            turn.say(MessageKind::Answer, None, words::GONE);
        }
    }
    Decision::new(Verdict::Answered, Reason::ReviewShown)
}

/// *Record the decision*: the review freezes, keeps its artifact, and the decision's own preview follows.
pub(crate) fn record_decision(turn: &mut Turn<'_>, mut review: Review, by: &str) -> Verdict {
    if review.active() {
        freeze(turn, &mut review, Ended::Decided);
    }
    decisions::from_review(turn, &review, by)
}

// ---- handing over ----

/// The review that a request for tickets is about, when it only points: "create the epic for that". A frozen one biases
/// nothing, so whatever names a subject of its own is about that (`spec 03 §4`).
pub(crate) fn in_reach(turn: &Turn<'_>) -> Option<Review> {
    let focus = focus(turn);
    let review = focus.task.as_ref().and_then(|task| of_task(turn, task));
    if focus.replies() {
        return review.filter(Review::handable);
    }
    let said = turn.said.as_ref()?;
    let points = turn.reference.need == Need::NeedsAnchor || extract::definite(&said.words);
    review.filter(|review| points && review.handable())
}

/// The review that is this task, or that the decision of this task was taken from.
fn of_task(turn: &Turn<'_>, task: &TaskId) -> Option<Review> {
    let taken_from = || turn.proposals().find(|proposal| proposal.task == *task)?.review;
    turn.review(&ReviewId::of(task)).or_else(|| turn.review(&taken_from()?))
}

/// Makes tickets of what a review came to. An active one is over with that.
pub(crate) fn hand_over(
    turn: &mut Turn<'_>,
    mut review: Review,
    ruling: Option<&Ruling>,
    by: &str,
) -> Verdict {
    if review.active() {
        freeze(turn, &mut review, Ended::HandedOver);
    }
    let text = review.artifact(turn.now()).text();
    // An epic is several items, and so is what *Turn into tickets* makes.
    let several = match ruling {
        None => Some(Several::epic()),
        Some(ruling) => ruling.several.clone().filter(Several::certain),
    };
    let verdict = match several {
        Some(several) => {
            let (topic, said) = text.split_once('\n').unwrap_or((&text, ""));
            // What was decided is a story only where stories are asked for; risks and questions never are.
            let lists = !several.parts.is_empty() || several.whole.item != "epic";
            let said = if lists { words::to_stories(&review.summary, &review.merged()) } else { said.into() };
            let from = alloc::vec![review.source.clone()];
            let asked = batch::Asked { several, topic: topic.into(), text: said, lists, from };
            batch::start(turn, &asked, by)
        }
        None => {
            let named = ruling.and_then(|ruling| ruling.item).and_then(batch::item_type);
            let from =
                Sources { texts: alloc::vec![text.clone()], messages: alloc::vec![review.source.clone()] };
            tickets::flow::start_from(turn, &text, named, by, from)
        }
    };
    review.handed = Some(turn.task_here());
    turn.put(Record::Review(review));
    verdict
}

// ---- the end ----

/// `/maro forget review`: its text goes, and the remembered mode with it. `false`: there is none.
pub(crate) fn forget(turn: &mut Turn<'_>) -> bool {
    let Some(review) = current(turn) else { return false };
    let bare = Review {
        summary: String::new(),
        topic: String::new(),
        points: Points::default(),
        checks: Vec::new(),
        patches: Vec::new(),
        ..review
    };
    leave(turn, bare, |_| Status::Forgotten, CardStatus::Withdrawn);
    true
}

/// Somebody stopped the model that was writing it: nobody ever saw it.
pub(crate) fn abandon(turn: &mut Turn<'_>, id: &ReviewId) {
    if let Some(review) = turn.review(id).filter(|review| review.status == Status::Drafting) {
        turn.drop_record(RecordKind::Review, &id.0);
        turn.end_task(&review.task, TaskStatus::Cancelled);
    }
}
