//! A case's options as a host's list (`spec 04 §16`): active in the chat, with a question about them open, and then the
//! message.

use throughline_engine::event::EventKind;
use throughline_engine::given::Addressing;
use throughline_engine::selection::{Metadata, Role, Scope, SetOption, Shown};
use throughline_engine::work::Risk;
use throughline_engine::{Millis, Timestamp};

use super::guard::Came;
use super::question::Seen;
use super::subject::{Incoming, Subject, USER};
use crate::driver::DriverError;

/// What opens a question about a list, whatever is on it: more than one is never executed.
const OPENER: &str = "both of them";
/// How long the person takes to write, in milliseconds.
const PAUSE: i64 = 10_000;

/// What the turn made of the message.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    /// The option that is executed.
    pub(super) pick: Option<usize>,
    /// The person was asked, by the list or by the gate.
    pub(super) asked: bool,
    /// The list was left alone.
    pub(super) left: bool,
    /// How long the decision took, where somebody measures it.
    pub(super) took: Option<Millis>,
    /// What else was seen of the turn.
    pub(super) seen: Seen,
}

/// Shows the options in a fresh lane, opens the question, and lets the message come in.
pub(super) fn put(
    subject: &mut dyn Subject,
    now: Timestamp,
    options: &[String],
    said: &str,
) -> Result<Listed, DriverError> {
    subject.begin(now.plus(-2 * PAUSE));
    let _ = subject.deliver(shown(options))?;
    subject.advance_to(now.plus(-PAUSE));
    let _ = subject.deliver(Incoming::said(USER, OPENER))?;
    subject.advance_to(now);
    let step = subject.deliver(Incoming::said(USER, said))?;
    let came = Came::of(&step.decision, step.trace.selection.as_deref()).unwrap_or_default();
    let pick = came.to.and_then(|option| (0..options.len()).find(|place| id(*place) == option));
    let Came { asked, left, .. } = came;
    Ok(Listed { pick, asked, left, took: subject.took(), seen: Seen::of(&step) })
}

fn id(place: usize) -> String {
    format!("o-{place}")
}

fn shown(labels: &[String]) -> Incoming {
    let option = |(n, label): (usize, &String)| SetOption {
        id: id(n),
        label: label.clone(),
        sublabel: None,
        badge: None,
        aliases: Vec::new(),
        metadata: Metadata::default(),
        role: Role::Normal,
        repeatable: true,
        exec_ref: Some(id(n)),
        risk: Risk::Read,
    };
    let shown = Shown {
        scope: Scope::Chat,
        scope_instance: "case".into(),
        title: None,
        user: None,
        options: labels.iter().enumerate().map(option).collect(),
        refreshable: false,
        message_id: None,
        displayed: None,
        focused_option: None,
    };
    let kind = EventKind::OptionsShown(shown);
    Incoming { actor: String::new(), kind, addressing: Addressing::default() }
}

impl Listed {
    /// What was decided, for a person.
    pub(super) fn told(&self, options: &[String]) -> String {
        match self.pick {
            Some(pick) => format!("executed “{}”", options[pick]),
            None if self.left => "left the list alone".into(),
            None => "asked".into(),
        }
    }
}
