//! Rejects JSON in which one object has a name twice: such an answer says two things at once, at whatever depth.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Any JSON value, read only for duplicate names.
pub(crate) struct UniqueNames;

impl<'de> Deserialize<'de> for UniqueNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NamesVisitor)
    }
}

struct NamesVisitor;

impl<'de> Visitor<'de> for NamesVisitor {
    type Value = UniqueNames;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_unit<E: Error>(self) -> Result<UniqueNames, E> {
        Ok(UniqueNames)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<UniqueNames, A::Error> {
        while items.next_element::<UniqueNames>()?.is_some() {}
        Ok(UniqueNames)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<UniqueNames, A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name) {
                // The value is not checked, but serde requires that it is read.
                members.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom("duplicate field"));
            }
            members.next_value::<UniqueNames>()?;
        }
        Ok(UniqueNames)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_duplicate_name_at_any_depth() {
        for good in ["{}", r#"{"a":1,"b":{"a":[1.5,-2,null,true,"x",{"a":1},{"a":1}]}}"#] {
            assert!(serde_json::from_str::<UniqueNames>(good).is_ok(), "{good}");
        }
        for bad in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"b":2,"a":{}}]}"#, r#"{"a":1,"\u0061":2}"#] {
            let error = serde_json::from_str::<UniqueNames>(bad).err().unwrap().to_string();
            assert!(error.starts_with("duplicate field"), "{bad}: {error}");
        }
    }
}
