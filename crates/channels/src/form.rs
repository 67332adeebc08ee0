//! Fields of a form, the same for every channel that has forms.

/// One field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FormField {
    /// The name in the submitted form.
    pub name: String,
    /// The label.
    pub label: String,
    /// The value.
    pub text: String,
    /// True if it has several lines.
    pub long: bool,
    /// The faults of the value.
    pub faults: Vec<String>,
}
