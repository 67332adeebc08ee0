//! `throughline explain`, and the page that is generated with it.

use crate::home::Home;

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");

// row: CL4
#[test]
fn every_code_is_explained() {
    let home = Home::new();
    let all = home.run(&["explain", "--all", "--json"]).ends(0).json();
    let all = all.as_array().unwrap();
    assert!(all.len() > 30);
    for code in all {
        let id = code["code"].as_str().unwrap();
        let ran = home.run(&["explain", id]).ends(0);
        for part in ["What happened:", "Why:", "What to do:"] {
            assert!(ran.out.contains(part), "{}", ran.session());
        }
        assert_eq!(home.run(&["explain", id, "--json"]).ends(0).json(), *code);
    }
}

#[test]
fn a_code_is_found_as_people_write_it() {
    let home = Home::new();
    let whole = home.run(&["explain", "TL-6102"]).ends(0);
    for other in ["tl-6102", "6102", "store.in_use"] {
        assert_eq!(home.run(&["explain", other]).ends(0).out, whole.out, "{other}");
    }
    insta::assert_snapshot!(whole.session());
    insta::assert_snapshot!(home.run(&["explain", "TL-9999"]).ends(2).session());
}

/// Compares `docs/errors.md` with the codes. `UPDATE_DOCS=1 cargo test -p throughline-cli errors_page` renews it.
#[test]
fn the_errors_page_is_fresh() {
    let page = Home::new().run(&["explain", "--all", "--markdown"]).ends(0).out;
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let there = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(there == page, "docs/errors.md is old: UPDATE_DOCS=1 cargo test -p throughline-cli errors_page");
}
