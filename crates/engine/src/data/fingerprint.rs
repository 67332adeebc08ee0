//! Fingerprints of questions to a model: the key of the loop guard, and the hash of the evidence
//! (`docs/design/0023-model-picks.md`).

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::data::canonical_json::{hex, jcs, sha256};
use crate::data::id::SetId;
use crate::data::option_set::OptionSet;
use crate::data::scope::Scope;
use throughline_language::normal::folded_text;

/// SHA-256 of canonical JSON, in hexadecimal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(pub String);

pub(crate) fn fingerprint_of(value: &Value) -> Fingerprint {
    Fingerprint(hex(&sha256(&[jcs(value).as_bytes()])))
}

/// Returns the key of the loop guard: input, candidates and list. Candidates are ids, never labels.
///
/// `input` is the folded core of the shortest parse.
#[must_use]
pub(crate) fn loop_guard(input: &str, candidates: &[&str], set: &SetId) -> Fingerprint {
    let sorted: BTreeSet<&str> = candidates.iter().copied().collect();
    fingerprint_of(&json!(["lg1", input, sorted, set]))
}

/// Evidence in a request: the hash of each piece as it was sent.
pub(crate) type EvidenceHashes = BTreeSet<String>;

/// Returns the fingerprint of a request's evidence. It is equal exactly if the evidence is: it holds no time,
/// no counter and no display order.
#[must_use]
pub(crate) fn evidence_fingerprint(
    set: &OptionSet,
    scope: Scope,
    candidates: &[usize],
    excerpts: &EvidenceHashes,
) -> Fingerprint {
    let mut frozen: Vec<&crate::data::set_option::SetOption> =
        candidates.iter().filter_map(|at| set.options.get(*at)).collect();
    frozen.sort_by(|one, other| one.id.cmp(&other.id));
    let ids: Vec<&str> = frozen.iter().map(|option| option.id.as_str()).collect();
    let signatures: Vec<Value> = frozen
        .iter()
        .map(|option| {
            let mut signature = json!({
                "id": option.id,
                "label": folded_text(&option.label),
                "sublabel": option.sublabel,
                "badge": option.badge,
                "path": option.metadata.path,
                "type": option.metadata.kind,
                "owner": option.metadata.owner,
                "recencyRank": option.metadata.recency_rank,
            });
            if !option.fields.is_empty() {
                signature["fields"] = json!(option.fields);
            }
            signature
        })
        .collect();
    fingerprint_of(&json!({
        "schemaVersion": 1,
        "scopeBinding": { "scope": scope.as_str(), "instance": set.scope_instance },
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
    fn the_loop_guard_has_a_known_hash() {
        let set = SetId::from("os1-e4dd6b38435081cf53c08e4db21e9040");
        let key = loop_guard("links panel", &["p-2", "p-0", "p-1"], &set);
        assert!(key.0.starts_with("9cc6fa569e5a7036"), "{key:?}");
    }
}
