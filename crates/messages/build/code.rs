//! The functions that the catalogues become.

use std::fmt::Write as _;

use crate::catalogue::{Catalogue, Key, Kind, Part};
use crate::{plural, pseudo};

/// Returns the module of all messages.
pub(crate) fn write(catalogues: &[Catalogue]) -> String {
    let mut out = String::new();
    languages(&mut out, catalogues);
    if catalogues[0].variables.values().any(|kinds| kinds.values().any(|kind| *kind == Kind::Number)) {
        plurals(&mut out, catalogues);
    }
    for id in catalogues[0].messages.keys() {
        message(&mut out, id, catalogues);
    }
    lookup(&mut out, &catalogues[0]);
    out
}

/// Returns the name of a variant: `De` for `de`, `PtBr` for `pt-BR`.
fn variant(code: &str) -> String {
    if code == pseudo::CODE {
        return "Pseudo".into();
    }
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase())
            .into_iter()
            .chain(letters.map(|l| l.to_ascii_lowercase()))
            .collect::<String>()
    };
    code.split('-').map(capital).collect()
}

fn function(id: &str) -> String {
    id.replace('-', "_")
}

fn languages(out: &mut String, catalogues: &[Catalogue]) {
    out.push_str("/// Language that sentences are said in.\n#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]\npub enum Language {\n");
    for (n, Catalogue { code, .. }) in catalogues.iter().enumerate() {
        let default = if n == 0 { "    #[default]\n" } else { "" };
        let _ = writeln!(out, "    /// `{code}`\n{default}    {},", variant(code));
    }
    out.push_str("}\n\nimpl Language {\n    /// Every language with a catalogue of its own.\n");
    let real: Vec<&Catalogue> = catalogues.iter().filter(|one| one.code != pseudo::CODE).collect();
    let all: Vec<String> = real.iter().map(|one| format!("Self::{}", variant(&one.code))).collect();
    let _ = writeln!(out, "    pub const ALL: [Self; {}] = [{}];\n", real.len(), all.join(", "));
    out.push_str("    /// Returns its BCP 47 code.\n    #[must_use]\n    pub fn code(self) -> &'static str {\n        match self {\n");
    for Catalogue { code, .. } in catalogues {
        let _ = writeln!(out, "            Self::{} => {code:?},", variant(code));
    }
    out.push_str("        }\n    }\n}\n\n");
}

/// Names the rule of plurals that each language has.
fn plurals(out: &mut String, catalogues: &[Catalogue]) {
    out.push_str("use crate::plural::{Category, Rule};\n\nfn category(language: Language, number: usize) -> Category {\n    match language {\n");
    for Catalogue { code, .. } in catalogues {
        let of = if code == pseudo::CODE { &catalogues[0].code } else { code };
        let rule = plural::rule(of)
            .unwrap_or_else(|| panic!("src/plural.rs has no rule for locales/{code}: add that of CLDR"));
        let _ = writeln!(out, "        Language::{} => Rule::{rule:?}.category(number),", variant(code));
    }
    out.push_str("    }\n}\n\n");
}

fn message(out: &mut String, id: &str, catalogues: &[Catalogue]) {
    let kinds = &catalogues[0].variables[id];
    let mut says = String::new();
    source(&mut says, &catalogues[0].messages[id]);
    for line in says.lines() {
        let _ = writeln!(out, "/// > {}", line.replace('<', "\\<").replace('[', "\\["));
    }
    let arguments: String = kinds
        .iter()
        .map(|(name, kind)| {
            let of = match kind {
                Kind::Text => "impl core::fmt::Display",
                Kind::Word => "&str",
                Kind::Number => "usize",
            };
            format!(", {}: {of}", function(name))
        })
        .collect();
    let _ = writeln!(out, "#[must_use]\npub fn {}(language: Language{arguments}) -> String {{", function(id));
    out.push_str("    let mut out = String::new();\n    match language {\n");
    for Catalogue { code, messages, .. } in catalogues {
        let _ = writeln!(out, "        Language::{} => {{", variant(code));
        body(out, &messages[id], 3);
        out.push_str("        }\n");
    }
    out.push_str("    }\n    out\n}\n\n");
}

/// Writes a message as a reader of the code sees it.
fn source(out: &mut String, parts: &[Part]) {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Variable(name) => {
                let _ = write!(out, "{{{name}}}");
            }
            Part::Select { otherwise, .. } => source(out, otherwise),
        }
    }
}

fn body(out: &mut String, parts: &[Part], depth: usize) {
    let indent = "    ".repeat(depth);
    for part in parts {
        match part {
            Part::Text(text) => {
                let mut letters = text.chars();
                let _ = match (letters.next(), letters.next()) {
                    (Some(only), None) => writeln!(out, "{indent}out.push({only:?});"),
                    _ => writeln!(out, "{indent}out.push_str({text:?});"),
                };
            }
            Part::Variable(name) => {
                let _ = writeln!(
                    out,
                    "{indent}let _ = core::fmt::Write::write_fmt(&mut out, core::format_args!(\"{{}}\", {}));",
                    function(name)
                );
            }
            Part::Select { by, cases, otherwise } => {
                let by = function(by);
                let _ = write!(out, "{indent}");
                for (key, wording) in cases {
                    let test = match key {
                        Key::Number(number) => format!("{by} == {number}"),
                        Key::Category(category) => {
                            let mut letters = category.chars();
                            let first = letters.next().map(|letter| letter.to_ascii_uppercase());
                            let category: String = first.into_iter().chain(letters).collect();
                            format!("category(language, {by}) == Category::{category}")
                        }
                        Key::Word(word) => format!("{by} == {word:?}"),
                    };
                    let _ = writeln!(out, "if {test} {{");
                    body(out, wording, depth + 1);
                    let _ = write!(out, "{indent}}} else ");
                }
                out.push_str("{\n");
                body(out, otherwise, depth + 1);
                let _ = writeln!(out, "{indent}}}");
            }
        }
    }
}

/// Writes the look-up by id, for templates.
fn lookup(out: &mut String, source: &Catalogue) {
    out.push_str("/// Ids of all messages.\npub const IDS: &[&str] = &[");
    for id in source.messages.keys() {
        let _ = write!(out, "{id:?}, ");
    }
    out.push_str("];\n\n/// Says the message of an id, with the values that `value` has for its variables; `None` if there is no such message.\n#[must_use]\npub fn say(language: Language, id: &str, value: &dyn Fn(&str) -> String) -> Option<String> {\n    Some(match id {\n");
    for (id, kinds) in &source.variables {
        let arguments: String = kinds
            .iter()
            .map(|(name, kind)| match kind {
                Kind::Text => format!(", value({name:?})"),
                Kind::Word => format!(", &value({name:?})"),
                Kind::Number => format!(", value({name:?}).parse().unwrap_or_default()"),
            })
            .collect();
        let _ = writeln!(out, "        {id:?} => {}(language{arguments}),", function(id));
    }
    out.push_str("        _ => return None,\n    })\n}\n");
}
