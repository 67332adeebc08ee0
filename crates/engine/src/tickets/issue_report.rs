//! Reports of a tracker about issues that were created here: the receipt, the task and the list of tracked issues say how
//! an issue is now (`docs/design/0062-reports-of-trackers.md`).

use crate::data::card::Card;
use crate::data::decision::Reason;
use crate::data::erasure::ERASED;
use crate::data::issue_report::{IssueNow, IssueReport, Reported};
use crate::data::task::Task;
use crate::data::task_status::TaskStatus;
use crate::data::ticket::Draft;
use crate::messages;
use crate::turn::Turn;

/// Takes in a report. One about an issue that the card did not create, such as a copy with the same mark, changes nothing;
/// neither does one about an issue of somebody who was erased, whose words it would bring back.
pub(crate) fn reported(turn: &mut Turn<'_>, report: &IssueReport) -> Reason {
    let Some(card) = turn.get::<Card>(&report.card).cloned() else { return Reason::IssueUnchanged };
    let made = |draft: &Draft| {
        let created = draft.created.as_ref();
        created
            .is_some_and(|made| made.effect == report.effect && made.key == report.key && draft.by != ERASED)
    };
    let Some(mut draft) = turn.drafts_of(&card).into_iter().find(made) else { return Reason::IssueUnchanged };
    let before = messages::change::reported(card.language, &draft);
    let Some(created) = &mut draft.created else { return Reason::IssueUnchanged };
    if created.reported.as_ref().is_some_and(|known| known.at > report.at) {
        return Reason::IssueUnchanged;
    }
    created.reported = Some(Reported { at: report.at, now: report.now.clone() });
    let after = messages::change::reported(card.language, &draft);
    let task = draft.task.clone();
    turn.put(draft.clone());
    retitle(turn, report);
    if before == after {
        return Reason::IssueUnchanged;
    }
    if let Some(mut task) = turn.get::<Task>(&task).cloned()
        && task.status == TaskStatus::Completed
    {
        task.set_answer(&messages::change::reported(task.language, &draft).unwrap_or_default());
        turn.put_task(task);
    }
    // The card itself is unchanged; what it shows of its draft is not.
    turn.update(card);
    Reason::IssueReported
}

/// Gives a tracked issue its new title, or stops tracking one that is gone or elsewhere.
fn retitle(turn: &mut Turn<'_>, report: &IssueReport) {
    let tracked = &mut turn.head.tracked;
    match &report.now {
        IssueNow::Gone | IssueNow::Moved { .. } => tracked.retain(|issue| issue.key != report.key),
        IssueNow::There { issue } => {
            for known in tracked.iter_mut().filter(|known| known.key == report.key) {
                known.title.clone_from(&issue.title);
            }
        }
    }
}
