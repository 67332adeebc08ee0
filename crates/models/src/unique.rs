//! JSON in which a name stands twice in one object says two things at once: it is no answer, wherever that is.

use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Any JSON value, read for nothing but that.
pub(crate) struct Once;

impl<'de> Deserialize<'de> for Once {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Look)
    }
}

struct Look;

impl<'de> Visitor<'de> for Look {
    type Value = Once;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_unit<E: Error>(self) -> Result<Once, E> {
        Ok(Once)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Once, A::Error> {
        while items.next_element::<Once>()?.is_some() {}
        Ok(Once)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Once, A::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if !seen.insert(name) {
                // What follows is not looked at: serde wants it read.
                members.next_value::<IgnoredAny>()?;
                return Err(A::Error::custom("duplicate field"));
            }
            members.next_value::<Once>()?;
        }
        Ok(Once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_name_that_stands_twice_at_any_depth() {
        for good in ["{}", r#"{"a":1,"b":{"a":[1.5,-2,null,true,"x",{"a":1},{"a":1}]}}"#] {
            assert!(serde_json::from_str::<Once>(good).is_ok(), "{good}");
        }
        for bad in [r#"{"a":1,"a":1}"#, r#"{"x":[{"a":1,"b":2,"a":{}}]}"#, r#"{"a":1,"\u0061":2}"#] {
            let error = serde_json::from_str::<Once>(bad).err().unwrap().to_string();
            assert!(error.starts_with("duplicate field"), "{bad}: {error}");
        }
    }
}
