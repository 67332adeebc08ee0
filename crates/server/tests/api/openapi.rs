//! Published OpenAPI document: it equals the checked-in copy and lists every route.

use std::fs;
use std::path::Path;

use serde_json::Value;
use throughline_server::openapi;

/// `THROUGHLINE_UPDATE=1 cargo test -p throughline-server --test api openapi` rewrites the checked-in document.
#[test]
fn the_checked_in_document_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let made = openapi();
    if std::env::var_os("THROUGHLINE_UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == made,
        "crates/server/openapi.json is not what the types say; set THROUGHLINE_UPDATE=1 and run this again"
    );
}

#[test]
fn every_operation_is_named_and_says_what_it_answers() {
    let document: Value = serde_json::from_str(&openapi()).unwrap();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1"));
    let mut operations = 0;
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            operations += 1;
            let id =
                operation["operationId"].as_str().unwrap_or_else(|| panic!("{method} {path} has no name"));
            assert!(operation["summary"].is_string(), "{id} has no summary");
            assert!(!operation["responses"].as_object().unwrap().is_empty(), "{id} answers nothing");
            for name in path.split(['{', '}']).skip(1).step_by(2) {
                let parameters = operation["parameters"].as_array().unwrap();
                assert!(
                    parameters.iter().any(|p| p["name"] == name && p["in"] == "path"),
                    "{id} does not say {name}"
                );
            }
        }
    }
    assert_eq!(operations, 51);
}
