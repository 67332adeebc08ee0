//! The texts that a value holds, each with what it means: words, a person, an id.
//!
//! A value is never walked without knowing its members. A type declares, field by field, which of them are words and which
//! are people; what it calls a key is never looked at, whatever anybody is called. `String` itself has no meaning, so a
//! new field of text does not compile before somebody said what it holds (`docs/design/0028-erasure.md`).

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde_json::Value;

/// A text with its meaning.
#[derive(Debug)]
pub enum Text<'a> {
    /// Words that nobody said in this form: a title, an answer, a card's line. They may be made from what people said.
    Words(&'a mut String),
    /// A text of one person, in their own words.
    Said(&'a mut String),
    /// Lines of several people and of ours, as a model is shown them.
    Lines(&'a mut String),
    /// A user id of a channel; empty if it names nobody.
    Person(&'a mut String),
    /// A name that approver rules use: `user:ana`, `role:approver`.
    Principal(&'a mut String),
    /// A display name without the id it belongs to.
    Name(&'a mut String),
    /// A person's id with their display name.
    Identity {
        /// User id of the channel.
        id: &'a mut String,
        /// Display name.
        name: &'a mut String,
    },
    /// An id that a turn made, or that a channel gave.
    Id(&'a str),
}

/// Receives each text of a value.
pub type Visit<'v> = dyn FnMut(Text<'_>) + 'v;

/// A value that says which texts it holds.
pub trait Texts {
    /// Shows each text to `visit`, which may change it. Keys, codes and numbers are not shown.
    fn texts(&mut self, visit: &mut Visit<'_>);
}

/// Declares the texts of types. A member without a mark shows its own texts; `words`, `said`, `lines`, `person`,
/// `principal`, `name` and `id` say what a text means, and `key` that it is none. Every member has to be named.
macro_rules! texts {
    (@member $member:ident, $visit:ident) => { $crate::data::texts::Texts::texts($member, $visit) };
    (@member $member:ident, $visit:ident, key) => { let _ = $member; };
    (@member $member:ident, $visit:ident, words) => { texts!(@each $member, $visit, Words) };
    (@member $member:ident, $visit:ident, said) => { texts!(@each $member, $visit, Said) };
    (@member $member:ident, $visit:ident, lines) => { texts!(@each $member, $visit, Lines) };
    (@member $member:ident, $visit:ident, person) => { texts!(@each $member, $visit, Person) };
    (@member $member:ident, $visit:ident, principal) => { texts!(@each $member, $visit, Principal) };
    (@member $member:ident, $visit:ident, name) => { texts!(@each $member, $visit, Name) };
    (@member $member:ident, $visit:ident, id) => {
        $crate::data::texts::Strings::strings($member, &mut |text| $visit($crate::data::texts::Text::Id(text)))
    };
    (@each $member:ident, $visit:ident, $means:ident) => {
        $crate::data::texts::Strings::strings($member, &mut |text| $visit($crate::data::texts::Text::$means(text)))
    };
    () => {};
    (struct $type:ty { $($member:ident $(: $means:ident)?),* $(,)? } $($rest:tt)*) => {
        impl $crate::data::texts::Texts for $type {
            fn texts(&mut self, visit: &mut $crate::data::texts::Visit<'_>) {
                let Self { $($member),* } = self;
                $(texts!(@member $member, visit $(, $means)?);)*
            }
        }
        texts! { $($rest)* }
    };
    (enum $type:ty {
        $($variant:ident $({ $($member:ident $(: $means:ident)?),* })? $(( $($item:ident $(: $says:ident)?),* ))?),* $(,)?
    } $($rest:tt)*) => {
        impl $crate::data::texts::Texts for $type {
            fn texts(&mut self, visit: &mut $crate::data::texts::Visit<'_>) {
                let _ = &visit;
                match self {
                    $(Self::$variant $({ $($member),* })? $(( $($item),* ))? => {
                        $($(texts!(@member $member, visit $(, $means)?);)*)?
                        $($(texts!(@member $item, visit $(, $says)?);)*)?
                    })*
                }
            }
        }
        texts! { $($rest)* }
    };
    (none $($type:ty),* $(,)?; $($rest:tt)*) => {
        $(impl $crate::data::texts::Texts for $type {
            fn texts(&mut self, _: &mut $crate::data::texts::Visit<'_>) {}
        })*
        texts! { $($rest)* }
    };
    (ids $($type:ty),* $(,)?; $($rest:tt)*) => {
        $(impl $crate::data::texts::Texts for $type {
            fn texts(&mut self, visit: &mut $crate::data::texts::Visit<'_>) {
                visit($crate::data::texts::Text::Id(&self.0));
            }
        })*
        texts! { $($rest)* }
    };
}

pub(crate) use texts;

/// Text, or a container of texts with one meaning.
pub(crate) trait Strings {
    fn strings(&mut self, visit: &mut dyn FnMut(&mut String));
}

impl Strings for String {
    fn strings(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(self);
    }
}

impl<T: Strings> Strings for Option<T> {
    fn strings(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.iter_mut().for_each(|one| one.strings(visit));
    }
}

impl<T: Strings> Strings for Vec<T> {
    fn strings(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.iter_mut().for_each(|one| one.strings(visit));
    }
}

impl<K, T: Strings> Strings for BTreeMap<K, T> {
    fn strings(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.values_mut().for_each(|one| one.strings(visit));
    }
}

impl<T: Texts> Texts for Option<T> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        self.iter_mut().for_each(|one| one.texts(visit));
    }
}

impl<T: Texts> Texts for Vec<T> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        self.iter_mut().for_each(|one| one.texts(visit));
    }
}

impl<T: Texts + ?Sized> Texts for Box<T> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        (**self).texts(visit);
    }
}

impl<T: Texts + Clone> Texts for Arc<T> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        Self::make_mut(self).texts(visit);
    }
}

impl<K, T: Texts> Texts for BTreeMap<K, T> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        self.values_mut().for_each(|one| one.texts(visit));
    }
}

/// The state of a capability, which alone knows its members: one called `by` holds a user id, every other text is words.
impl Texts for Value {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        match self {
            Self::String(text) => visit(Text::Words(text)),
            Self::Array(values) => values.iter_mut().for_each(|value| value.texts(visit)),
            Self::Object(members) => {
                for (name, value) in members {
                    match value {
                        Self::String(id) if name == "by" => visit(Text::Person(id)),
                        value => value.texts(visit),
                    }
                }
            }
            Self::Null | Self::Bool(_) | Self::Number(_) => {}
        }
    }
}

/// JSON of which only some members hold texts: those with a name in one of these lists, at any depth.
#[derive(Debug)]
pub struct Members<'v> {
    /// The JSON.
    pub value: &'v mut Value,
    /// Names of members that hold words.
    pub words: &'static [&'static str],
    /// Names of members that hold user ids.
    pub people: &'static [&'static str],
}

impl Texts for Members<'_> {
    fn texts(&mut self, visit: &mut Visit<'_>) {
        let (words, people) = (self.words, self.people);
        match &mut *self.value {
            Value::Object(members) => {
                for (name, value) in members {
                    let name = name.as_str();
                    if words.contains(&name) {
                        near(value, &mut |text| visit(Text::Words(text)));
                    } else if people.contains(&name) {
                        near(value, &mut |text| visit(Text::Person(text)));
                    }
                    Members { value, words, people }.texts(visit);
                }
            }
            Value::Array(values) => {
                values.iter_mut().for_each(|value| Members { value, words, people }.texts(visit));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Shows a text, the texts of a list, or those of a map from keys.
fn near(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    let mut one = |value: &mut Value| {
        if let Value::String(text) = value {
            visit(text);
        }
    };
    match value {
        Value::Array(values) => values.iter_mut().for_each(one),
        Value::Object(members) => members.values_mut().for_each(one),
        other => one(other),
    }
}
