//! The cards of a call: its preview, the receipt, and the question whether it was made.

use alloc::string::String;
use alloc::vec::Vec;

use crate::cards::{button, hash_of};
use crate::data::authors::{Authored, Authors};
use crate::data::call::{Call, Job, PlannedChange};
use crate::data::card::{Card, CardSubject};
use crate::data::card_model::{CardModel, Field};
use crate::data::effect::IssueChange;
use crate::data::host_act::{HostAct, HostRequest};
use crate::data::language::Language;
use crate::data::policy::Policy;
use crate::data::task::Task;
use crate::data::time::Timestamp;
use crate::messages::{self, card as words};
use crate::turn::capability::CardContext;
use throughline_messages as say;

/// Fills in the card.
pub(super) fn show(model: &mut CardModel, view: &CardContext<'_>) {
    let CardContext { card, known, now, policy } = *view;
    let Some((call, _)) = card.call() else { return };
    model.title = match &card.about {
        CardSubject::UncertainCall { .. } => {
            messages::call::uncertain_call_title(view.language(), &call.job, &card.status)
        }
        _ => messages::call::call_title(view.language(), &call.job, &card.status, now),
    };
    model.request = HostRequest::of(card);
    let written = authored(card, call, known.get::<Task>(&call.task));
    details(model, card, call, &written, now, policy);
    let name = |action| words::calls(view.language(), action, &call.job);
    model.buttons =
        card.actions().into_iter().map(|action| button(view.language(), action, name(action))).collect();
}

/// Returns the authors of a call: who asked for it, and everybody whose words its task has. The author of each argument is
/// not kept.
pub(super) fn authored(card: &Card, call: &Call, task: Option<&Task>) -> Vec<Authored> {
    let mut by = Authors::default();
    if let Some(task) = task {
        by = Authors::of(&task.requested_by).and(&task.authors);
    }
    by.add(&card.by);
    alloc::vec![Authored { item: String::new(), field: call.job.class().into(), by }]
}

/// Returns the issue as it is, and what the change would add to it. The card's title says the rest.
fn changed(language: Language, planned: &PlannedChange) -> Vec<Field> {
    let issue = planned.issue.as_ref().map(|issue| {
        Field::new("issue", &say::change_issue_field(language), messages::change::as_it_is(language, issue))
    });
    let other =
        planned.other.as_ref().map(|title| Field::new("other", &say::change_other_field(language), title));
    let comment = match &planned.change {
        IssueChange::Comment(text) => Some(Field::new("comment", &say::change_comment_field(language), text)),
        _ => None,
    };
    issue.into_iter().chain(other).chain(comment).collect()
}

/// Returns what a host asks leave for: what its act is about in its words, and the bytes that it is handed.
fn asked_for(language: Language, act: &HostAct) -> [Field; 3] {
    [
        Field::new("target", &say::act_target_field(language), &act.target),
        Field::new("details", &say::act_details_field(language), act.lines.join("\n")),
        Field::new("payload", &say::act_payload_field(language), &act.payload),
    ]
}

/// Fills in everything that a call would send, and to whom.
fn details(
    model: &mut CardModel,
    card: &Card,
    call: &Call,
    written: &[Authored],
    now: Timestamp,
    policy: &Policy,
) {
    model.hash = Some(hash_of(call));
    let task = || Field::new("task", &say::call_task(card.language), &call.text);
    match &call.job {
        Job::Change(planned) => model.fields.extend(changed(card.language, planned)),
        Job::Tool { args, .. } => {
            model.fields.push(task());
            model.fields.extend(args.iter().map(|(name, text)| Field::new(name, name, text)));
        }
        Job::Act(act) => model.fields.extend(asked_for(card.language, act)),
        Job::Agent { .. } | Job::Option(_) => model.fields.push(task()),
    }
    if !card.is_open() {
        model.facts.extend(words::written_by(card.language, &card.by, written));
        return;
    }
    model.facts.push(words::asked_by(card.language, &card.by, written));
    model.tell_decision(
        words::may_approve(card.language, policy, call.job.class(), &call.job.target()),
        card.expires_at.map(|end| words::until(card.language, end, now)),
    );
}
