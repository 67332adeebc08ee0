//! Ids of the things that an effect creates. Pure.

use sha2::{Digest, Sha256};
use throughline_engine::EffectId;

/// The id of the thing of this kind that an effect creates, always the same one: of the form that Linear asks for, a UUID of
/// version 4.
pub(super) fn of(kind: &str, effect: &EffectId) -> String {
    let hash = Sha256::digest(format!("throughline/linear/{kind}/{effect}"));
    let mut text = String::with_capacity(36);
    for (n, byte) in hash.iter().take(16).enumerate() {
        if matches!(n, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        let byte = match n {
            6 => byte & 0x0f | 0x40,
            8 => byte & 0x3f | 0x80,
            _ => *byte,
        };
        text.push_str(&format!("{byte:02x}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn an_effect_has_one_id_of_a_kind() {
        let one = of("issue", &"fx_65emfyihdqmez2f6x5fvmpxn".into());
        assert_eq!(one, "85183175-936a-4477-bbdc-f6c766c904dc");
        let mut seen = BTreeSet::new();
        for n in 0..300 {
            for kind in ["issue", "comment", "relation"] {
                let id = of(kind, &EffectId(format!("fx_{n}")));
                let lengths: Vec<usize> = id.split('-').map(str::len).collect();
                assert_eq!(lengths, [8, 4, 4, 4, 12], "{id}");
                assert!(
                    id.bytes().all(|b| b == b'-' || b.is_ascii_digit() || (b'a'..=b'f').contains(&b)),
                    "{id}"
                );
                assert!(&id[14..15] == "4" && matches!(&id[19..20], "8" | "9" | "a" | "b"), "{id}");
                assert!(seen.insert(id));
            }
        }
    }
}
