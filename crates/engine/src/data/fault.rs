//! Faults that a person may be told of, as values: their sentence is said in the language of whoever reads it
//! (`docs/design/0056-catalogues.md`).

mod sending;
mod tool;
mod tracker;

use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

pub use sending::SendingFault;
pub use tool::{TaskEnd, ToolFault};
pub use tracker::{FieldRefusal, HierarchyGap, ProjectAct, TrackerFault};

/// Reason why something failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fault {
    /// Fault of a tracker.
    Tracker(TrackerFault),
    /// Fault on the way to the far side.
    Sending(SendingFault),
    /// Fault of a tool or a sub-agent.
    Tool(ToolFault),
    /// Several faults.
    Several {
        /// In order.
        faults: Vec<Fault>,
    },
    /// Words of the far side, or of a version before 0.2. They are shown as they are, in whatever language.
    Said(String),
}

impl From<TrackerFault> for Fault {
    fn from(fault: TrackerFault) -> Self {
        Self::Tracker(fault)
    }
}

impl From<SendingFault> for Fault {
    fn from(fault: SendingFault) -> Self {
        Self::Sending(fault)
    }
}

impl From<ToolFault> for Fault {
    fn from(fault: ToolFault) -> Self {
        Self::Tool(fault)
    }
}

impl Fault {
    /// Joins faults.
    #[must_use]
    pub fn all(faults: impl IntoIterator<Item = Self>) -> Self {
        let mut faults: Vec<Self> = faults.into_iter().collect();
        if faults.len() == 1 { faults.remove(0) } else { Self::Several { faults } }
    }
}

/// Fault of a single field, from a tracker or a tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldFault {
    /// Item of a batch, by id; empty for a single item, or for all items.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub item: String,
    /// Check that failed: `check.required` or another.
    pub code: String,
    /// Field.
    pub field: String,
    /// Fault.
    pub text: Fault,
}

impl FieldFault {
    /// Makes a fault for a single item, or for all items.
    #[must_use]
    pub fn new(code: &str, field: &str, fault: impl Into<Fault>) -> Self {
        Self { item: String::new(), code: code.into(), field: field.into(), text: fault.into() }
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::vec;

    use super::*;

    #[test]
    fn a_fault_reads_back() {
        let faults = [
            TrackerFault::NoProject { project: "AUTH".into(), known: vec!["DEMO".into()] }.into(),
            TrackerFault::NoTitle.into(),
            SendingFault::Gone.into(),
            ToolFault::NotInTime.into(),
            SendingFault::NotLet { channel: "Slack".into(), why: "is_archived".into() }.into(),
            Fault::Said("No.".into()),
            Fault::all([TrackerFault::NoTitle.into(), Fault::Said("No.".into())]),
        ];
        for fault in faults {
            let stored = serde_json::to_string(&fault).unwrap();
            assert_eq!(serde_json::from_str::<Fault>(&stored).unwrap(), fault, "{stored}");
        }
    }

    /// The three kinds are stored without saying which they are.
    #[test]
    fn no_two_faults_have_one_name() {
        fn names<T: serde::de::DeserializeOwned>() -> Vec<String> {
            let refused =
                serde_json::from_str::<T>(r#"{"fault":"?"}"#).err().expect("no fault has this name");
            let refused = refused.to_string();
            let (_, names) = refused.split_once("expected one of ").expect("it lists the names");
            names.split('`').skip(1).step_by(2).map(String::from).collect()
        }
        let mut all = [names::<TrackerFault>(), names::<SendingFault>(), names::<ToolFault>()].concat();
        let count = all.len();
        assert!(count > 100, "{all:?}");
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), count);
    }

    /// Versions before 0.2 stored sentences.
    #[test]
    fn sentences_of_earlier_versions_are_read() {
        let stored = r#"{"code":"check.required","field":"title","text":"Title is required"}"#;
        let read: FieldFault = serde_json::from_str(stored).unwrap();
        assert_eq!(read, FieldFault::new("check.required", "title", Fault::Said("Title is required".into())));
        assert_eq!(serde_json::to_string(&read).unwrap(), stored);
    }
}
