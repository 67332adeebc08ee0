//! What two questions to a model are told apart by: the loop guard's key and the evidence's fingerprint (`spec 04 §12`).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{OptionSet, Scope};
use crate::canon::{hex, jcs, sha256};
use crate::id::SetId;
use crate::recognize::selection::normal::folded_text;

/// A hash of what was asked, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Print(pub String);

pub(super) fn print(value: &Value) -> Print {
    Print(hex(&sha256(&[jcs(value).as_bytes()])))
}

/// The key of the loop guard: what was said, of which candidates, in which list. Ids, never labels.
///
/// `input` is the folded core of the shortest parse.
#[must_use]
pub(crate) fn loop_guard(input: &str, candidates: &[&str], set: &SetId) -> Print {
    let sorted: BTreeSet<&str> = candidates.iter().copied().collect();
    print(&json!(["lg1", input, sorted, set]))
}

/// What a request carries as evidence, each piece as the hash of what was really sent.
pub(crate) type Evidence = BTreeSet<String>;

/// The fingerprint of the evidence a request carries: equal if, and only if, the evidence is. No time, no counter, no
/// order of display.
#[must_use]
pub(crate) fn evidence(set: &OptionSet, scope: Scope, candidates: &[usize], excerpts: &Evidence) -> Print {
    let mut frozen: Vec<&super::SetOption> =
        candidates.iter().filter_map(|at| set.options.get(*at)).collect();
    frozen.sort_by(|one, other| one.id.cmp(&other.id));
    let ids: Vec<&str> = frozen.iter().map(|option| option.id.as_str()).collect();
    let signatures: Vec<Value> = frozen
        .iter()
        .map(|option| {
            json!({
                "id": option.id,
                "label": folded_text(&option.label),
                "sublabel": option.sublabel,
                "badge": option.badge,
                "path": option.metadata.path,
                "type": option.metadata.kind,
                "owner": option.metadata.owner,
                "recencyRank": option.metadata.recency_rank,
            })
        })
        .collect();
    print(&json!({
        "schemaVersion": 1,
        "scopeBinding": { "scope": scope.word(), "instance": set.scope_instance },
        "activeOptionSetId": set.id,
        "candidateIds": ids,
        "candidateSignatures": signatures,
        "evidence": excerpts,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_guard_of_the_spec() {
        let set = SetId::from("os1-e4dd6b38435081cf53c08e4db21e9040");
        let key = loop_guard("links panel", &["p-2", "p-0", "p-1"], &set);
        assert!(key.0.starts_with("9cc6fa569e5a7036"), "{key:?}");
    }
}
