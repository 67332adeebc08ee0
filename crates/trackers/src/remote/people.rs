//! The one whom a name means. Pure.

/// The only one that fits. Where several fit, or none, nobody is meant.
pub(crate) fn only<P>(people: &[P], fits: impl Fn(&P) -> bool) -> Option<&P> {
    let mut fitting = people.iter().filter(|person| fits(person));
    fitting.next().filter(|_| fitting.next().is_none())
}

/// A name by its letters and digits alone, which people do not spell differently.
pub(crate) fn bare(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect::<String>().to_lowercase()
}
