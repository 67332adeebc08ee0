//! Lists that earlier versions kept as a single value.

use alloc::boxed::Box;
use alloc::vec;
use alloc::vec::Vec;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Writes a list of one as the one, as earlier versions did.
pub(crate) fn serialize<T: Serialize, S: Serializer>(all: &[T], into: S) -> Result<S::Ok, S::Error> {
    match all {
        [one] => one.serialize(into),
        all => all.serialize(into),
    }
}

/// Reads one value or a list.
pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Held<T> {
        Many(Vec<T>),
        One(Box<T>),
    }
    Ok(match Held::deserialize(from)? {
        Held::Many(all) => all,
        Held::One(one) => vec![*one],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize, Deserialize)]
    struct Kept(#[serde(with = "super")] Vec<u8>);

    #[test]
    fn one_is_written_as_itself_and_both_are_read() {
        for (json, list) in [("[]", vec![]), ("7", vec![7]), ("[7,8]", vec![7, 8])] {
            let read: Kept = serde_json::from_str(json).unwrap();
            assert_eq!(read.0, list);
            assert_eq!(serde_json::to_string(&read).unwrap(), json);
        }
        assert_eq!(serde_json::from_str::<Kept>("[7]").unwrap().0, [7]);
    }
}
