//! Ordered list of ids, stored as one text. Every turn copies the head; with one text for each id, the ids of
//! a full window made up a quarter of what a turn allocated.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::id::{CardId, MessageId};

/// Id that a list of [`Ids`] can hold.
pub trait Id: for<'a> From<&'a str> {
    /// Returns the id as text.
    fn text(&self) -> &str;
}

impl Id for MessageId {
    fn text(&self) -> &str {
        &self.0
    }
}

impl Id for CardId {
    fn text(&self) -> &str {
        &self.0
    }
}

/// Ordered list of ids. It is serialised as an array of strings.
///
/// ```
/// use throughline_engine::MessageId;
/// use throughline_engine::data::ids::Ids;
/// let mut window: Ids<MessageId> = [MessageId::from("m_1"), MessageId::from("m_2")].into_iter().collect();
/// window.remove(&"m_1".into());
/// assert_eq!(window.iter().collect::<Vec<_>>(), [MessageId::from("m_2")]);
/// assert_eq!(serde_json::to_string(&window).unwrap(), r#"["m_2"]"#);
/// ```
#[derive(PartialEq)]
pub struct Ids<T> {
    text: String,
    /// End of each id in `text`.
    ends: Vec<usize>,
    of: PhantomData<fn() -> T>,
}

/// Number of ids that a turn usually adds to its copy, and their length in bytes.
const ADDED: (usize, usize) = (2, 32);

/// Clones with spare room, because a turn usually adds to its copy.
impl<T> Clone for Ids<T> {
    fn clone(&self) -> Self {
        if self.is_empty() {
            return Self::default();
        }
        let mut text = String::with_capacity(self.text.len() + ADDED.1);
        text.push_str(&self.text);
        let mut ends = Vec::with_capacity(self.ends.len() + ADDED.0);
        ends.extend_from_slice(&self.ends);
        Self { text, ends, of: PhantomData }
    }
}

impl<T> Default for Ids<T> {
    fn default() -> Self {
        Self { text: String::new(), ends: Vec::new(), of: PhantomData }
    }
}

impl<T> Ids<T> {
    /// Returns the number of ids.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the ids as texts, in order.
    pub(crate) fn texts(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator + Clone {
        (0..self.len()).map(|at| &self.text[self.begin(at)..self.ends[at]])
    }

    fn begin(&self, at: usize) -> usize {
        at.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl<T: Id> Ids<T> {
    /// Returns the ids, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.texts().map(T::from)
    }

    /// Returns true if the list holds the id.
    #[must_use]
    pub fn contains(&self, id: &T) -> bool {
        self.texts().any(|text| text == id.text())
    }

    /// Adds an id at the end.
    pub fn push(&mut self, id: &T) {
        self.text.push_str(id.text());
        self.ends.push(self.text.len());
    }

    /// Adds an id at the beginning.
    pub fn push_first(&mut self, id: &T) {
        self.text.insert_str(0, id.text());
        self.ends.insert(0, 0);
        self.ends.iter_mut().for_each(|end| *end += id.text().len());
    }

    /// Removes an id, if the list holds it.
    pub fn remove(&mut self, id: &T) {
        let Some(at) = self.texts().position(|text| text == id.text()) else { return };
        self.text.replace_range(self.begin(at)..self.ends[at], "");
        self.ends.remove(at);
        self.ends[at..].iter_mut().for_each(|end| *end -= id.text().len());
    }
}

impl<T: Id> FromIterator<T> for Ids<T> {
    fn from_iter<I: IntoIterator<Item = T>>(ids: I) -> Self {
        ids.into_iter().fold(Self::default(), |mut all, id| {
            all.push(&id);
            all
        })
    }
}

impl<T: Id + fmt::Debug> fmt::Debug for Ids<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T> Serialize for Ids<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.texts())
    }
}

impl<'de, T: Id + Deserialize<'de>> Deserialize<'de> for Ids<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<T>::deserialize(deserializer).map(|ids| ids.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_is_a_list(
            first in prop::collection::vec("\\PC{0,3}", 0..6),
            acts in prop::collection::vec((0..3u8, "\\PC{0,3}"), 0..12),
        ) {
            let mut list: Vec<MessageId> = first.iter().map(|id| MessageId(id.clone())).collect();
            let mut ids: Ids<MessageId> = list.iter().cloned().collect();
            for (act, id) in acts {
                let id = MessageId(id);
                match act {
                    0 => {
                        ids.push(&id);
                        list.push(id);
                    }
                    1 => {
                        ids.push_first(&id);
                        list.insert(0, id);
                    }
                    _ => {
                        let id = list.first().cloned().unwrap_or(id);
                        ids.remove(&id);
                        list.retain({
                            let mut gone = false;
                            move |other| *other != id || core::mem::replace(&mut gone, true)
                        });
                    }
                }
                prop_assert_eq!(ids.iter().collect::<Vec<_>>(), list.clone());
                prop_assert_eq!(ids.len(), list.len());
                prop_assert!(list.iter().all(|id| ids.contains(id)));
            }
            let written = serde_json::to_string(&ids).unwrap();
            prop_assert_eq!(&written, &serde_json::to_string(&list).unwrap());
            prop_assert_eq!(serde_json::from_str::<Ids<MessageId>>(&written).unwrap(), ids);
        }
    }
}
