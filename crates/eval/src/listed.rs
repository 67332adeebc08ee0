//! Puts a case's options to a lane as a host's list: just shown in the chat, shown as a question, or with an open question
//! about it; then the message.

use throughline_engine::data::event::EventKind;
use throughline_engine::data::option_set::OptionsShown;
use throughline_engine::data::scope::Scope;
use throughline_engine::data::set_option::SetOption;
use throughline_engine::data::step_input::Addressing;
use throughline_engine::{Millis, Timestamp};

use crate::guard::TurnOutcome;
use crate::question::Seen;
use crate::subject::{Incoming, Subject, USER};
use throughline_testkit::DriverError;

/// A text that opens a question about any list: several options at once are never executed.
const OPENER: &str = "both of them";
/// The time the person takes to write, in milliseconds.
const PAUSE: i64 = 10_000;

/// The outcome of the message.
#[derive(Clone, Debug)]
pub(crate) struct ListOutcome {
    /// The index of the option that is executed.
    pub(crate) pick: Option<usize>,
    /// True if the person was asked, by the list or by the gate.
    pub(crate) asked: bool,
    /// True if the list was left alone.
    pub(crate) left: bool,
    /// The time the decision took, if it was measured, in milliseconds.
    pub(crate) took: Option<Millis>,
    /// The turn's decision and reasons.
    pub(crate) seen: Seen,
}

/// The way in which a list stands when the message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Standing {
    /// It was shown, and nobody asked.
    Shown,
    /// It was shown as a question (`asked: true`).
    Asked,
    /// The engine asks about it.
    Questioned,
}

/// Shows the options in a fresh lane under the sentence that they were shown with, opens the question if there is one, and delivers the message.
pub(crate) fn put(
    subject: &mut dyn Subject,
    now: Timestamp,
    (options, title, standing): (&[String], Option<&str>, Standing),
    said: &str,
) -> Result<ListOutcome, DriverError> {
    subject.begin(now.plus(-2 * PAUSE));
    let _ = subject.deliver(shown(options, title, standing == Standing::Asked))?;
    if standing == Standing::Questioned {
        subject.advance_to(now.plus(-PAUSE));
        let _ = subject.deliver(Incoming::said(USER, OPENER))?;
    }
    subject.advance_to(now);
    let step = subject.deliver(Incoming::said(USER, said))?;
    let outcome = TurnOutcome::of(&step.decision, step.trace.selection.as_deref()).unwrap_or_default();
    let pick = outcome.to.and_then(|option| (0..options.len()).find(|place| id(*place) == option));
    let TurnOutcome { asked, left, .. } = outcome;
    Ok(ListOutcome { pick, asked, left, took: subject.took(), seen: Seen::of(&step) })
}

fn id(place: usize) -> String {
    format!("o-{place}")
}

fn shown(labels: &[String], title: Option<&str>, asked: bool) -> Incoming {
    let option = |(n, label): (usize, &String)| SetOption::named(id(n), label).running(id(n));
    let shown = OptionsShown {
        scope: Scope::Chat,
        scope_instance: "case".into(),
        title: title.map(Into::into),
        user: None,
        options: labels.iter().enumerate().map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
        numbers_from: 1,
        comparisons: Vec::new(),
        asked,
    };
    let kind = EventKind::OptionsShown(shown);
    Incoming { actor: String::new(), kind, addressing: Addressing::default() }
}

impl ListOutcome {
    /// Describes the outcome.
    pub(crate) fn describe(&self, options: &[String]) -> String {
        match self.pick {
            Some(pick) => format!("executed “{}”", options[pick]),
            None if self.left => "left the list alone".into(),
            None => "asked".into(),
        }
    }
}
