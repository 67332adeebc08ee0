//! The compiler of the catalogues: what it makes of plural forms, and what it refuses.

#![allow(dead_code, unreachable_pub, reason = "the modules of the build script")]

#[path = "../build/catalogue.rs"]
mod catalogue;
#[path = "../build/code.rs"]
mod code;
#[path = "../src/plural.rs"]
mod plural;
#[path = "../build/pseudo.rs"]
mod pseudo;

use std::panic::catch_unwind;

use catalogue::{Catalogue, Kind};

fn read(code: &str, text: &str) -> Catalogue {
    Catalogue::read(code, &[(format!("{code}.ftl"), text.to_owned())])
}

/// Compiles an English and a German catalogue.
fn compiled(english: &str, german: &str) -> Result<String, String> {
    let compile = || {
        let english = read("en", english);
        let mut german = read("de", german);
        german.compare(&english);
        code::write(&[english.clone(), german, pseudo::of(&english)])
    };
    catch_unwind(compile).map_err(|told| *told.downcast::<String>().expect("a text"))
}

const ITEMS: &str = "
-what = items
items = { $count ->
    [0] no { -what } of { $owner }
    [one] one item of { $owner }
   *[other] { $count } { -what } of { $owner }
}
";

#[test]
fn a_number_chooses_the_plural_form() {
    let german = "items = { $count ->\n    [one] ein Eintrag von { $owner }\n   *[other] { $count } Einträge von { $owner }\n}\n";
    let code = compiled(ITEMS, german).unwrap();
    assert!(code.contains(
        "pub fn items(language: Language, count: usize, owner: impl core::fmt::Display) -> String"
    ));
    assert!(
        code.contains("if count == 0 {") && code.contains("if category(language, count) == Category::One {"),
        "{code}"
    );
    assert!(
        code.contains("Language::De => Rule::One.category(number)") && code.contains("no items of "),
        "{code}"
    );
}

#[test]
fn a_word_chooses_the_wording() {
    let english = read("en", "done = { $kind ->\n    [epic] The epic is done\n   *[other] It is done\n}\n");
    assert_eq!(english.variables["done"]["kind"], Kind::Word);
}

/// A word that a translation forgets would silently get the wording of another one.
#[test]
fn a_translation_chooses_among_the_same_words() {
    let english = "done = { $kind ->\n    [epic] An epic\n    [bug] A bug\n   *[task] A task\n}\n";
    let german =
        |more: &str| format!("done = {{ $kind ->\n    [epic] Ein Epic\n{more}   *[task] Eine Aufgabe\n}}\n");
    assert!(compiled(english, &german("    [bug] Ein Bug\n")).is_ok());
    let told = compiled(english, &german("")).expect_err("a word is missing");
    assert!(told.contains("de: done chooses among other words of $kind than en"), "{told}");
    assert!(compiled(english, "done = Fertig: { $kind }\n").is_ok());
}

#[test]
fn a_language_that_says_something_else_is_refused() {
    for (german, why) in [
        ("", "de lacks {\"items\"}"),
        ("items = { $count } { $owner }\nmore = x\n", "has {\"more\"} more"),
        ("items = { $sum }\n", "uses $sum in another way"),
        ("items = { $owner ->\n    [one] x\n   *[other] y\n}\n", "uses $owner in another way"),
        ("items =\n    .label = x\n", "has attributes"),
        ("items = { NUMBER($count) }\n", "is not compiled"),
        ("items = { other }\n", "is not compiled"),
        ("items = { -none }\n", "the term -none is not above"),
        ("items = x\nitems = y\n", "is there twice"),
        ("items = { $count\n", "de.ftl"),
    ] {
        let told = compiled(ITEMS, german).expect_err(german);
        assert!(told.contains(why), "{german:?}: {told}");
    }
    let told = catch_unwind(|| code::write(&[read("xx", ITEMS)])).expect_err("no such language");
    assert!(told.downcast::<String>().expect("a text").contains("no rule for locales/xx"));
}
