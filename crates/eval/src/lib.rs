//! Evals: labelled cases put to the engine, and figures about its decisions.
//!
//! A file of cases is JSON Lines, and the `task` of a line is its kind of case. [`Cases::read`] parses the lines and
//! reports every mistake with its line. Each kind is one file here and implements [`Task`]: how a case is put to a
//! lane, how the decision is read, how the answers are counted. A lane is a [`Subject`], which crate `sim` implements
//! over the engine's step; a [`Runner`] puts many cases to many lanes. [`evaluate`] makes the [`Report`], with the
//! predictions in the form an independent scorer reads, and the goals of the headline figures.
//!
//! A task reads nothing but the turn: a decision the engine does not make yet is [`Rate::undecided`], never guessed.

mod anaphora;
mod baseline;
mod closing;
mod folds;
mod goals;
mod gold;
mod guard;
mod intent;
pub mod learn;
mod listed;
mod pending;
mod question;
mod rate;
mod read;
mod recorded;
mod reply_to;
mod report;
mod section;
mod selection;
mod subject;
pub mod train;
mod utterance;
mod value;

pub use anaphora::Anaphora;
pub use baseline::{Baseline, Change, Compared, Measure, OtherCases, held};
pub use closing::Closing;
pub use folds::Gap;
pub use goals::{Goal, Judged};
pub use guard::{GuardCounter, GuardCounts};
pub use intent::IntentCase;
pub use pending::Pending;
pub use rate::Rate;
pub use read::{CaseError, Cases, Filter};
pub use recorded::from_turns;
pub use reply_to::ReplyTo;
pub use report::{Evaluated, Mistakes, Report, evaluate};
pub use section::{Cell, Mistake, Section, Table};
pub use selection::Selection;
pub use subject::{Incoming, Runner, Subject};
pub use utterance::Utterance;
pub use value::ValueCase;

use serde::de::DeserializeOwned;
use serde_json::Value;

use throughline_testkit::DriverError;

/// A kind of case. Its fields are those of a line; other keys, such as `meta`, are ignored.
pub trait Task: DeserializeOwned + Send + Sync {
    /// The value of `task` in its lines.
    const NAME: &'static str;
    /// The kinds of mistakes, worst first.
    const MISTAKES: &'static [&'static str];
    /// The engine's decision about a case.
    type Decided: Send;

    /// Returns its id, which its predictions bear.
    fn id(&self) -> &str;

    /// Returns the labels that filters compare.
    fn labels(&self) -> Labels<'_>;

    /// Returns the language its writer prefers (BCP 47), if the case says so.
    fn language(&self) -> Option<&str> {
        None
    }

    /// Checks what the types of the fields do not.
    ///
    /// # Errors
    ///
    /// The problem, as a sentence.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Puts the case to a lane and returns the decision.
    ///
    /// # Errors
    ///
    /// A request the subject cannot fulfil.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError>;

    /// Returns the lines of the predictions; empty if nothing was decided.
    fn predict(&self, decided: &Self::Decided) -> Vec<Value>;

    /// Returns the mistakes in the decision.
    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake>;

    /// Returns the figures and tables of all cases of this kind.
    fn section(ran: &[DecidedCase<Self>]) -> Section;
}

/// A case and its decision.
#[derive(Clone, Debug)]
pub struct DecidedCase<T: Task> {
    /// The case.
    pub case: T,
    /// The decision.
    pub decided: T::Decided,
}

/// The labels of a case, for `--source`, `--type`, `--gold` and `--text`.
#[derive(Clone, Debug, Default)]
pub struct Labels<'c> {
    /// The source of the case, and the channel of a log.
    pub source: Vec<&'c str>,
    /// The expected type of the question.
    pub expected: Option<&'c str>,
    /// Its gold labels.
    pub gold: Vec<&'c str>,
    /// The text.
    pub text: &'c str,
}
