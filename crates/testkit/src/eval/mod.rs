//! Evals (`spec 08 §2`): labelled cases put to the engine, and what it decided about them in figures.
//!
//! A file of cases is JSON Lines; the `task` of a line says which kind of case it is. [`Cases::read`] reads them and tells
//! every mistake with its line. Each kind is one file here, and each is a [`Task`]: how a case is put to a lane, what is
//! read off the turn, how the answers are counted. A lane is a [`Subject`], which crate `sim` has over the engine's own
//! step; a [`Run`] puts many cases to many of them. [`evaluate`] makes the [`Report`] of it all, with the predictions in
//! the form an independent scorer reads, and the goals of `spec 09 §3` beside the figures.
//!
//! No task looks into the engine beside the turn: what it did not decide there is [`Rate::undecided`], never guessed.

mod anaphora;
mod baseline;
mod closing;
mod goals;
mod gold;
mod guard;
mod intent;
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
mod utterance;
mod value;

pub use anaphora::Anaphora;
pub use baseline::{Baseline, Change, Compared, Measure, OtherCases, held};
pub use closing::Closing;
pub use goals::{Goal, Judged};
pub use guard::{Watch, Watched};
pub use intent::IntentCase;
pub use pending::Pending;
pub use rate::Rate;
pub use read::{CaseError, Cases, Filter};
pub use recorded::from_turns;
pub use reply_to::ReplyTo;
pub use report::{Evaluated, Mistakes, Report, evaluate};
pub use section::{Cell, Mistake, Section, Table};
pub use selection::Selection;
pub use subject::{Incoming, Run, Subject};
pub use utterance::Utterance;
pub use value::ValueCase;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::driver::DriverError;

/// A kind of case. Its fields are those of a line; what it does not name is ignored, as `meta` is.
pub trait Task: DeserializeOwned + Send + Sync {
    /// The word in a line's `task`.
    const NAME: &'static str;
    /// The kinds of mistakes, worst first.
    const MISTAKES: &'static [&'static str];
    /// What the engine decided about a case.
    type Decided: Send;

    /// Its id, by which predictions are found.
    fn id(&self) -> &str;

    /// What cases are picked by.
    fn labels(&self) -> Labels<'_>;

    /// What a line can be wrong in although its fields are all there.
    ///
    /// # Errors
    ///
    /// What is wrong, for a person.
    fn check(&self) -> Result<(), String> {
        Ok(())
    }

    /// Puts the case to a lane and reads off what was decided.
    ///
    /// # Errors
    ///
    /// What the subject cannot do.
    fn decide(&self, subject: &mut dyn Subject) -> Result<Self::Decided, DriverError>;

    /// The lines of the predictions: none where nothing was decided.
    fn predict(&self, decided: &Self::Decided) -> Vec<Value>;

    /// What was decided wrongly.
    fn mistakes(&self, decided: &Self::Decided) -> Vec<Mistake>;

    /// The figures and tables of all cases of this kind.
    fn section(ran: &[Ran<Self>]) -> Section;
}

/// A case and what came of it.
#[derive(Clone, Debug)]
pub struct Ran<T: Task> {
    /// The case.
    pub case: T,
    /// What was decided.
    pub decided: T::Decided,
}

/// What cases are picked by: `--source`, `--type`, `--gold`, `--text`.
#[derive(Clone, Debug, Default)]
pub struct Labels<'c> {
    /// Where the case is from; of a log, also its channel.
    pub source: Vec<&'c str>,
    /// The expected type of the question.
    pub expected: Option<&'c str>,
    /// Its gold labels.
    pub gold: Vec<&'c str>,
    /// The words.
    pub text: &'c str,
}
