//! The pseudo-language: English with marks on its letters, in brackets. A sentence without brackets on a screen that
//! is shown in it comes from no catalogue.

use crate::catalogue::{Catalogue, Part};

/// Code of the pseudo-language, as operating systems call it.
pub(crate) const CODE: &str = "qps-ploc";

/// Returns the catalogue of the pseudo-language.
pub(crate) fn of(source: &Catalogue) -> Catalogue {
    let messages = source.messages.iter().map(|(id, parts)| {
        let inner = parts.iter().map(marked);
        let all = [Part::Text("⟦".into())].into_iter().chain(inner).chain([Part::Text("⟧".into())]);
        (id.clone(), all.collect())
    });
    Catalogue { code: CODE.into(), messages: messages.collect(), variables: source.variables.clone() }
}

fn marked(part: &Part) -> Part {
    let all = |parts: &[Part]| parts.iter().map(marked).collect();
    match part {
        Part::Text(text) => Part::Text(text.chars().map(with_mark).collect()),
        Part::Variable(name) => Part::Variable(name.clone()),
        Part::Select { by, cases, otherwise } => Part::Select {
            by: by.clone(),
            cases: cases.iter().map(|(key, wording)| (key.clone(), all(wording))).collect(),
            otherwise: all(otherwise),
        },
    }
}

fn with_mark(letter: char) -> char {
    match letter {
        'a' => 'á',
        'e' => 'é',
        'i' => 'í',
        'o' => 'ó',
        'u' => 'ú',
        'A' => 'Á',
        'E' => 'É',
        'I' => 'Í',
        'O' => 'Ó',
        'U' => 'Ú',
        other => other,
    }
}
