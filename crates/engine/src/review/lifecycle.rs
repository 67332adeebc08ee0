//! The life of a review: started, patched by feedback, frozen, handed over to tickets, superseded, forgotten.
//! Design: docs/design/0018-reviews.md.

use crate::data::proposal::Proposal;
use crate::data::task::Task;
use alloc::string::String;
use alloc::vec::Vec;

use crate::ask::ask_loop;
use crate::cards::decide::refuse_step;
use crate::data::action::Action;
use crate::data::ask::{AnswerRecipient, Question, ReviewAnswer};
use crate::data::authors::Authors;
use crate::data::card::{Card, CardStatus, CardSubject};
use crate::data::decision::{Decision, Reason, Verdict};
use crate::data::id::{CardId, ReviewId, TaskId};
use crate::data::intent::Intent;
use crate::data::message::{Message, MessageKind, Role};
use crate::data::policy::limits;
use crate::data::review::{
    Points, Review, ReviewEnding, ReviewKind, ReviewPatch, ReviewSection, ReviewStatus,
};
use crate::data::rung::Rung;
use crate::data::task_status::TaskStatus;
use crate::messages::review as words;
use crate::review::extract;
use crate::review::extract::ClassifiedSentence;
use crate::review::{patch, topic};
use crate::tickets::{self, DraftSources, batch};
use crate::turn::routed_message::focus;
use crate::turn::{RoutedMessage, Turn};
use throughline_language::Words;
use throughline_language::intent::rules::Ruling;
use throughline_language::intent::several::Several;
use throughline_language::reference::Need;
use throughline_messages as say;

/// Source of a request for a review. An implicit one does not start a review of a topic already reviewed
/// here.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ReviewTrigger {
    /// A request, a command or a button.
    Explicit,
    /// A model's reading, or the remembered mode of the thread.
    Implicit,
}

impl ReviewTrigger {
    /// Derives it from the reason an intent is acted on.
    pub(crate) fn of(reason: Reason) -> Self {
        match reason {
            Reason::IntentModel | Reason::IntentRemembered => Self::Implicit,
            _ => Self::Explicit,
        }
    }
}

/// Starts a review of `text`, or of what it points at. Returns the verdict, and a reason if it replaces the
/// caller's.
pub(crate) fn start(
    turn: &mut Turn<'_>,
    text: &str,
    by: &str,
    asks: ReviewTrigger,
) -> (Verdict, Option<Reason>) {
    let said = context(turn, text);
    let material = said.iter().fold(Authors::default(), |all, message| all.and(&spoken_by(message)));
    let context: Vec<String> = said.into_iter().map(|message| message.text).collect();
    let topic = match topic::topic(text, context.last().map(String::as_str), turn.policy) {
        nothing if nothing.is_empty() => say::review_this_thread(turn.language()),
        topic => topic,
    };
    if asks == ReviewTrigger::Implicit
        && let Some(known) = reviewed(turn, &topic)
    {
        let frozen_at = known.artifact(turn.now()).frozen_at;
        turn.say(
            MessageKind::Answer,
            Some(&known.task),
            &words::known(turn.language(), &known, frozen_at, turn.now()),
        );
        return (Verdict::Answered, Some(Reason::ReviewKnown));
    }
    let named = extract::kind(&Words::of(text));
    let kind = named.unwrap_or_default();
    let stated: Vec<ClassifiedSentence> = context
        .iter()
        .map(String::as_str)
        .chain([text])
        .flat_map(|text| extract::sentences(text, turn.policy))
        .take(limits::REVIEW_SENTENCES)
        .collect();
    let task = turn.start_task(if text.is_empty() { &topic } else { text }, by);
    let language = turn.language();
    let own = turn.given.actor.as_ref().and_then(|actor| actor.language.clone());
    let own = own.unwrap_or_else(|| language.code().into());
    let review = Review {
        id: ReviewId::of(&task),
        kind,
        version: 1,
        language,
        topic,
        summary: summary(&stated),
        points: Points { changes: Vec::new(), ..extract::points(&stated) },
        checks: extract::checklist(kind, &stated, &own),
        patches: Vec::new(),
        status: ReviewStatus::Drafting,
        card: CardId::from(""),
        task,
        by: by.into(),
        material: material.without(by),
        source: turn.source(),
        last_at: turn.now(),
        handed: None,
    };
    let question = Question::Review { kind: named.map(|kind| kind.as_str().into()) };
    if ask_loop::open(turn, AnswerRecipient::Review(review.id.clone()), question) {
        turn.put(review);
        return (Verdict::Deferred, None);
    }
    show(turn, review);
    (Verdict::Shown, None)
}

/// Returns the author of a person's message; nobody for one of ours.
fn spoken_by(message: &Message) -> Authors {
    Authors::of(if message.role == Role::User { &message.by } else { "" })
}

/// Returns what is to be reviewed besides the message. For a reply these are the messages around its target; nothing if the
/// message states something itself; else the people's messages in the lane's window, with the anchor where it points at it. Messages of other tasks and commands are left out.
fn context(turn: &Turn<'_>, text: &str) -> Vec<Message> {
    let focus = focus(turn);
    let said = turn.said.as_ref().map(|said| &said.message);
    let mine = said.and_then(|said| turn.get::<Message>(said)).and_then(|message| message.task.as_ref());
    let of_other_work = |message: &Message| {
        message.task.as_ref().is_some_and(|task| Some(task) != mine && turn.get::<Task>(task).is_some())
    };
    let bare = extract::sentences(text, turn.policy).is_empty();
    let points = focus.replies() || turn.reference.need == Need::NeedsAnchor && bare;
    if !points && !bare {
        // What is to be reviewed is in the request itself.
        return Vec::new();
    }
    let counts = |message: &&Message| {
        let meant = points && Some(&message.id) == focus.anchor_id();
        (meant || message.role == Role::User)
            && message.card.is_none()
            && Some(&message.id) != said
            && turn.policy.command.rest(&message.text).is_none()
            && !of_other_work(message)
    };
    let window = focus.window(turn.lane, turn.given).into_iter();
    window.filter(counts).cloned().collect()
}

/// Returns the summary: the first sentences that are no point of a section, or if there are none, the first
/// that are no question.
fn summary(stated: &[ClassifiedSentence]) -> String {
    let first = |fits: &dyn Fn(ReviewSection) -> bool| {
        let states = stated.iter().filter(|one| fits(one.section)).take(limits::REVIEW_SUMMARY);
        states.map(|one| one.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    let plain = first(&|section| section == ReviewSection::Changes);
    if plain.is_empty() { first(&|section| section != ReviewSection::Questions) } else { plain }
}

/// Returns an earlier review of this lane about the same topic.
fn reviewed(turn: &Turn<'_>, topic: &str) -> Option<Review> {
    let over = |review: &Review| {
        matches!(review.status, ReviewStatus::Frozen { .. } | ReviewStatus::Superseded { .. })
    };
    turn.loaded::<Review>()
        .find(|review| over(review) && topic::same(&review.topic, topic, turn.policy))
        .cloned()
}

/// Takes in a model's review; `None` if the model gave no usable one, which leaves the checklist.
pub(crate) fn written(turn: &mut Turn<'_>, id: &ReviewId, answer: Option<ReviewAnswer>) -> Decision {
    let decision = |verdict| Decision {
        rung: Rung::Intent,
        ..Decision::new(verdict, Reason::Reviewed).with_intent(Intent::Review)
    };
    let Some(mut review) =
        turn.get::<Review>(id).cloned().filter(|review| review.status == ReviewStatus::Drafting)
    else {
        return decision(Verdict::Recorded);
    };
    if let Some(answer) = answer {
        // A kind that a person named wins over the model's.
        let named =
            turn.get::<Task>(&review.task).cloned().and_then(|task| extract::kind(&Words::of(&task.intent)));
        review.kind = named.or_else(|| ReviewKind::parse(&answer.kind)).unwrap_or(review.kind);
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
    // Showing a review ends the remembered mode with the older one; a mode set after the request was made is
    // kept.
    let begun = turn.get::<Task>(&review.task).cloned().map_or(turn.now(), |task| task.created_at);
    let since = turn.head.remembered.clone().filter(|mode| mode.since >= begun);
    show(turn, review);
    turn.head.remembered = since.or(turn.head.remembered.take());
    decision(Verdict::Shown)
}

/// Shows a review for the first time and supersedes the one before it.
fn show(turn: &mut Turn<'_>, mut review: Review) {
    let older = current(turn);
    review.status = ReviewStatus::Active;
    review.last_at = turn.now();
    turn.put(review.clone());
    let about = CardSubject::ReviewActive { review: review.id.clone() };
    review.card = turn.show(about, &review.by.clone(), Some(&review.task));
    let card = review.card.clone();
    turn.put(review);
    if let Some(older) = older {
        leave(
            turn,
            older,
            |artifact| ReviewStatus::Superseded { artifact, by: card.clone() },
            CardStatus::Superseded { by: card.clone() },
        );
    }
}

/// The lane's review that is active or frozen.
pub(crate) fn current(turn: &Turn<'_>) -> Option<Review> {
    turn.loaded::<Review>().find(|review| review.is_current()).cloned()
}

/// Ends a review that is active or frozen, its task, and the remembered mode.
fn leave(
    turn: &mut Turn<'_>,
    mut review: Review,
    status: impl FnOnce(crate::data::review::ReviewArtifact) -> ReviewStatus,
    over: CardStatus,
) {
    review.status = status(review.artifact(turn.now()));
    let id = review.card.clone();
    let (task, about) = (review.task.clone(), CardSubject::ReviewFrozen { review: review.id.clone() });
    turn.put(review);
    if let Some(card) = turn.get::<Card>(&id).cloned() {
        turn.update(Card { about, status: over, ..card });
    }
    turn.end_task(&task, TaskStatus::Completed);
    turn.forget_mode();
}

/// Freezes a review: keeps its artifact and completes its task. Nothing is started from it.
pub(crate) fn freeze(turn: &mut Turn<'_>, review: &mut Review, ended: ReviewEnding) {
    let artifact = review.artifact(turn.now());
    review.status = ReviewStatus::Frozen { artifact, ended };
    turn.put(review.clone());
    if let Some(card) = turn.get::<Card>(&review.card).cloned() {
        turn.move_on(card, CardSubject::ReviewFrozen { review: review.id.clone() });
    }
    turn.end_task(&review.task, TaskStatus::Completed);
}

/// Freezes a review whose cooldown ran out. Only its card shows it; no message is posted.
pub(crate) fn cooled_down(turn: &mut Turn<'_>, card: &Card) -> Reason {
    let review = subject(turn, card).filter(Review::is_active);
    let Some(mut review) = review else { return Reason::TimerSuperseded };
    freeze(turn, &mut review, ReviewEnding::Idle);
    Reason::ReviewIdle
}

pub(crate) fn subject(turn: &Turn<'_>, card: &Card) -> Option<Review> {
    match &card.about {
        CardSubject::ReviewActive { review } | CardSubject::ReviewFrozen { review } => {
            turn.get::<Review>(review).cloned()
        }
        _ => None,
    }
}

// ---- feedback ----

/// Completes a review because the whole message acknowledges it.
pub(crate) fn completed(turn: &mut Turn<'_>, mut review: Review) -> Decision {
    let by = turn.presser().name;
    freeze(turn, &mut review, ReviewEnding::Completed { by });
    turn.say(
        MessageKind::Answer,
        Some(&review.task),
        &say::review_complete(turn.language(), &review.topic, review.version),
    );
    Decision::new(Verdict::Done, Reason::ReviewComplete)
}

/// Answers feedback with a patch, written by a model if one can be asked.
pub(crate) fn feedback(turn: &mut Turn<'_>, review: &Review, text: &str) -> Decision {
    if review.version >= limits::REVIEW_VERSIONS {
        turn.say(
            MessageKind::Answer,
            Some(&review.task),
            &say::review_full_up(turn.language(), review.version),
        );
        put_off(turn, review.clone());
        return Decision::new(Verdict::Answered, Reason::ReviewFull).with_intent(Intent::Review);
    }
    let question = Question::Patch { review: as_it_stands(review), version: review.version };
    if ask_loop::open(turn, AnswerRecipient::Patch(review.id.clone()), question) {
        put_off(turn, review.clone());
        return Decision::new(Verdict::Deferred, Reason::ReviewFeedback).with_intent(Intent::Review);
    }
    let points = patch::stated(review, text, turn.policy);
    patched(turn, review.clone(), points)
}

/// Takes in a model's patch; `None` if the model gave no usable one, then the patch is read from the
/// feedback.
pub(crate) fn patch_written(
    turn: &mut Turn<'_>,
    id: &ReviewId,
    answer: Option<crate::data::ask::PatchAnswer>,
) -> Decision {
    let Some(review) = turn.get::<Review>(id).cloned().filter(Review::is_active) else {
        turn.say(MessageKind::Answer, None, &say::review_over_before(turn.language()));
        return Decision::new(Verdict::Answered, Reason::EffectSuperseded);
    };
    let points = match answer {
        Some(crate::data::ask::PatchAnswer { decisions, risks, questions, changes }) => {
            patch::new(&review, Points { decisions, risks, questions, changes })
        }
        None => {
            let said = turn.said.as_ref().map_or("", |said| said.text());
            patch::stated(&review, said, turn.policy)
        }
    };
    patched(turn, review, points)
}

/// Restarts the cooldown of a review, because somebody reacted to it.
fn put_off(turn: &mut Turn<'_>, mut review: Review) {
    review.last_at = turn.now();
    if let Some(card) = turn.get::<Card>(&review.card).cloned() {
        turn.put_off(card);
    }
    turn.put(review);
}

fn patched(turn: &mut Turn<'_>, mut review: Review, points: Points) -> Decision {
    let decision = |reason| Decision {
        rung: Rung::Review,
        ..Decision::new(Verdict::Answered, reason).with_intent(Intent::Review)
    };
    if points.is_empty() {
        turn.say(MessageKind::Answer, Some(&review.task), &say::review_nothing_new(turn.language()));
        put_off(turn, review);
        return decision(Reason::ReviewUnchanged);
    }
    let by = turn.author();
    review.version += 1;
    review.last_at = turn.now();
    let patch = ReviewPatch { version: review.version, by, points };
    let text = words::patch(turn.language(), &review, &patch, turn.policy.review.bullets);
    review.patches.push(patch);
    turn.put(review.clone());
    if let Some(card) = turn.get::<Card>(&review.card).cloned() {
        turn.revise(card, CardSubject::ReviewActive { review: review.id.clone() });
    }
    turn.say(MessageKind::Answer, Some(&review.task), &text);
    decision(Reason::ReviewPatched)
}

/// Returns the current content of a review, for a model.
fn as_it_stands(review: &Review) -> ReviewAnswer {
    let Points { decisions, risks, questions, changes } = review.merged();
    let summary =
        words::updated_summary(review.language, &review.summary, &Points { changes, ..Points::default() });
    let (kind, topic) = (review.kind.as_str().into(), review.topic.clone());
    ReviewAnswer { kind, topic, summary, decisions, risks, questions }
}

// ---- buttons ----

/// Applies a button of a review's card. The caller has made the checks of a press.
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
            freeze(turn, &mut review, ReviewEnding::Completed { by });
            done
        }
        Action::TurnIntoTicket if being_made(turn, &review) => {
            turn.tell(&say::review_handed_already(turn.language()));
            Decision::new(Verdict::Refused, Reason::PressConsumed)
        }
        Action::TurnIntoTicket => {
            let by = turn.event.actor.clone();
            hand_over(turn, review, None, &by);
            done
        }
        _ => refuse_step(turn),
    }
}

/// True while the task of the tickets made from this review is live.
fn being_made(turn: &Turn<'_>, review: &Review) -> bool {
    review
        .handed
        .as_ref()
        .and_then(|task| turn.get::<Task>(task).cloned())
        .is_some_and(|task| task.status.is_live())
}

/// Shows the whole review: a model's synthesis, or the original and every patch in order.
fn show_full(turn: &mut Turn<'_>, card: &Card, review: &Review) {
    let (message, by, words) = (card.message.clone(), turn.event.actor.clone(), Words::of(&review.topic));
    turn.route(RoutedMessage::new(message, by, words, turn.now()));
    let question = Question::Synthesis { review: as_it_stands(review) };
    if ask_loop::open(turn, AnswerRecipient::Synthesis(review.id.clone()), question) {
        turn.tell(&say::review_writing(turn.language()));
    } else {
        let _ = synthesised(turn, &review.id, None);
    }
}

/// Posts the synthesis; without one, the original and every patch.
pub(crate) fn synthesised(turn: &mut Turn<'_>, id: &ReviewId, text: Option<&str>) -> Decision {
    match turn.get::<Review>(id).cloned().filter(Review::can_hand_over) {
        Some(review) => {
            let full = words::full(turn.language(), &review);
            turn.say(MessageKind::Answer, Some(&review.task), text.unwrap_or(&full));
        }
        None => {
            turn.say(MessageKind::Answer, None, &say::review_gone(turn.language()));
        }
    }
    Decision::new(Verdict::Answered, Reason::ReviewShown)
}

// ---- handing over ----

/// Returns the review that a request for tickets refers to: by a reply, or by pointing words ("create the
/// epic for that"). A request with a subject of its own is about that subject.
pub(crate) fn in_reach(turn: &Turn<'_>) -> Option<Review> {
    let focus = focus(turn);
    let review = focus.task.as_ref().and_then(|task| of_task(turn, task));
    if focus.replies() {
        return review.filter(Review::can_hand_over);
    }
    let said = turn.said.as_ref()?;
    let points = turn.reference.need == Need::NeedsAnchor || extract::definite(&said.words);
    review.filter(|review| points && review.can_hand_over())
}

/// Returns the review of this task, or the one its decision proposal was taken from.
fn of_task(turn: &Turn<'_>, task: &TaskId) -> Option<Review> {
    let taken_from = || turn.loaded::<Proposal>().find(|proposal| proposal.task == *task)?.review.clone();
    turn.get::<Review>(&ReviewId::of(task)).cloned().or_else(|| turn.get::<Review>(&taken_from()?).cloned())
}

/// Makes tickets from a review, which freezes it if it is active. Without a ruling it makes an epic.
pub(crate) fn hand_over(
    turn: &mut Turn<'_>,
    mut review: Review,
    ruling: Option<&Ruling>,
    by: &str,
) -> Verdict {
    if review.is_active() {
        freeze(turn, &mut review, ReviewEnding::HandedOver);
    }
    let text = review.artifact(turn.now()).text();
    // An epic is a batch, and so is the result of *Turn into tickets*.
    let several = match ruling {
        None => Some(Several::epic()),
        Some(ruling) => ruling.several.clone().filter(Several::certain),
    };
    let verdict = match several {
        Some(several) => {
            let (topic, said) = text.split_once('\n').unwrap_or((&text, ""));
            // Decisions become stories only if stories were asked for; risks and questions never do.
            let lists = !several.parts.is_empty() || several.whole.item != "epic";
            let said = if lists {
                words::to_stories(turn.language(), &review.summary, &review.merged())
            } else {
                said.into()
            };
            let from = alloc::vec![review.source.clone()];
            let authors = review.authors();
            let asked =
                batch::BatchRequest { several, topic: topic.into(), text: said, lists, from, authors };
            batch::start(turn, &asked, by)
        }
        None => {
            let named = ruling.and_then(|ruling| ruling.item).and_then(batch::item_type);
            let from = DraftSources {
                texts: alloc::vec![text.clone()],
                messages: alloc::vec![review.source.clone()],
                authors: review.authors(),
            };
            tickets::drafting::start_from(turn, &text, named, by, from)
        }
    };
    review.handed = Some(turn.task_here());
    turn.put(review);
    verdict
}

// ---- the end ----

/// Applies `/maro forget review`: erases the text of the current review and the remembered mode. Returns
/// `false` if there is no review.
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
    leave(turn, bare, |_| ReviewStatus::Forgotten, CardStatus::Withdrawn);
    true
}

/// Drops a review whose model was stopped before it was ever shown.
pub(crate) fn abandon(turn: &mut Turn<'_>, id: &ReviewId) {
    if let Some(review) =
        turn.get::<Review>(id).cloned().filter(|review| review.status == ReviewStatus::Drafting)
    {
        turn.delete::<Review>(id);
        turn.end_task(&review.task, TaskStatus::Cancelled);
    }
}
