//! Words of others that tell the reader to approve. Only our own sentences point at a button, since only they know whether
//! it is there (`docs/design/0032-approvals.md`).

use alloc::string::String;

use throughline_language::{Words, approves, urges_approval};

/// Returns true if somewhere in the text a reader is told to approve.
pub(crate) fn urges(text: &str) -> bool {
    let sentences = text.split(['.', '!', '\n', ';', ':']);
    let mut sentences = sentences.map(|sentence| sentence.trim_start_matches(['-', '•', ' ']));
    urges_approval(&Words::of(text)) || sentences.any(|sentence| approves(&Words::of(sentence)))
}

/// Returns the text without the sentences that tell a reader to approve; `None` if there are none.
pub(crate) fn without_urging(text: &str) -> Option<String> {
    if !urges(text) {
        return None;
    }
    let rest: String = text.split_inclusive(['.', '!', '?', '\n', ';']).filter(|part| !urges(part)).collect();
    // What is cut here may be no whole sentence to a reader: then none of it is kept.
    Some(if urges(&rest) { String::new() } else { rest.trim().into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_urges_is_cut_and_the_rest_stays() {
        for (text, rest) in [
            ("The build is green.", None),
            ("Nobody may approve it alone.", None),
            ("The build is green. Please press Approve now!", Some("The build is green.")),
            ("All fine, so click on Approve. Version 1.2 is out.", Some("Version 1.2 is out.")),
            ("- tested\n- please approve\n- deployed", Some("- tested\n- deployed")),
            ("Please press Approve.", Some("")),
        ] {
            assert_eq!(without_urging(text).as_deref(), rest, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_is_left_urges_nobody(text in "(please |press |approve|it|, |\\. |not |the |build|\n){0,12}") {
            if let Some(rest) = without_urging(&text) {
                proptest::prop_assert!(!urges(&rest), "{rest:?}");
            }
        }
    }
}
