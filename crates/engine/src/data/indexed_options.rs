//! Options of a list with their folded names and fields. Names are folded once, when a list is registered or loaded; what
//! only descriptions read, when the first message is read beside it.

use alloc::boxed::Box;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;
use once_cell::race::OnceBox;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::option_fields::OptionFields;
use crate::data::option_names::OptionNames;
use crate::data::set_option::SetOption;
use crate::data::texts::{Texts, Visit};

/// Options of a list, in base order. It is serialised and compared as the array of its options.
///
/// The options never change; a host that shows a list anew makes a new value. So the folded names stay valid,
/// and clones share them.
#[derive(Clone)]
pub struct IndexedOptions(Arc<Inner>);

struct Inner {
    options: Vec<SetOption>,
    names: OptionNames,
    fields: OnceBox<OptionFields>,
}

impl IndexedOptions {
    /// Returns the folded names.
    pub(crate) fn names(&self) -> &OptionNames {
        &self.0.names
    }

    /// Returns the folded fields.
    pub(crate) fn fields(&self) -> &OptionFields {
        self.0.fields.get_or_init(|| Box::new(OptionFields::of(&self.0.options)))
    }
}

impl From<Vec<SetOption>> for IndexedOptions {
    fn from(options: Vec<SetOption>) -> Self {
        let names = OptionNames::of(&options);
        Self(Arc::new(Inner { options, names, fields: OnceBox::new() }))
    }
}

impl Deref for IndexedOptions {
    type Target = [SetOption];

    fn deref(&self) -> &[SetOption] {
        &self.0.options
    }
}

impl<'l> IntoIterator for &'l IndexedOptions {
    type Item = &'l SetOption;
    type IntoIter = core::slice::Iter<'l, SetOption>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Debug for IndexedOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.options.fmt(f)
    }
}

impl PartialEq for IndexedOptions {
    fn eq(&self, other: &Self) -> bool {
        self.0.options == other.0.options
    }
}

impl Eq for IndexedOptions {}

impl Serialize for IndexedOptions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.options.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for IndexedOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self::from)
    }
}

impl Texts for IndexedOptions {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let mut options = self.to_vec();
        options.texts(visit);
        if options != self.0.options {
            *self = options.into();
        }
    }
}
