//! `throughline doctor model` against a fake provider. API keys are never printed.

use throughline_fakes::model::{Behaviour, FakeModel};

use crate::home::Home;

const KEY: &str = "sk-canary-0123456789abcdef";
const SOUND: &str = r#"{"label":"meta","confidence":0.9,"anchor":null}"#;

/// Returns a home with models at a fake, and the runtime that the fake needs.
fn home() -> (Home, FakeModel, tokio::runtime::Runtime) {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let model = runtime.block_on(FakeModel::start()).unwrap();
    model.require_key(KEY);
    let home = Home::new();
    home.file("key", KEY);
    let config = format!(
        "[models.default]\nkind = \"openai-chat\"\nbase_url = \"{}\"\nmodel = \"small-1\"\napi_key_file = \"key\"\n\
         allow_loopback = true\n\
         [models.review]\nkind = \"anthropic\"\nbase_url = \"{}\"\nmodel = \"large-1\"\napi_key_file = \"key\"\n\
         allow_loopback = true\n",
        model.url("v1"),
        model.url("")
    );
    home.file("throughline.toml", &config);
    (home, model, runtime)
}

#[test]
fn every_model_is_asked_once_and_the_key_is_not_shown() {
    let (home, model, _runtime) = home();
    model.script(Behaviour::Say(SOUND.into()));
    model.script(Behaviour::Say(SOUND.into()));
    let ran = home.run(&["doctor", "model", "-vv"]).ends(0);
    assert!(
        ran.out.contains("small-1 at http://127.0.0.1") && ran.out.contains("for classify, select, draft")
    );
    assert!(ran.out.contains("large-1") && ran.out.contains("for review: it answers as it is asked to"));
    assert!(ran.out.contains("allow_loopback"), "{}", ran.session());
    assert_eq!((model.calls(), model.violations()), (2, Vec::new()));
    for args in [["config", "show"], ["config", "check"]] {
        let shown = home.run(&args).ends(0);
        assert!(!shown.session().contains(KEY));
    }
    assert!(!ran.session().contains(KEY), "{}", ran.session());
}

#[test]
fn what_is_wrong_is_said_with_its_way_out() {
    let (home, model, _runtime) = home();
    for (behaviour, says) in [
        (Behaviour::Status(401), "it refuses the key"),
        (Behaviour::Status(404), "no such model"),
        (Behaviour::Status(500), "status 500"),
        (Behaviour::Say("Sure, happy to help!".into()), "not in the form"),
    ] {
        model.script(behaviour);
        model.script(Behaviour::Say(SOUND.into()));
        let ran = home.run(&["doctor", "model"]);
        assert!(ran.out.contains(says) && ran.out.contains("fix: "), "{says}: {}", ran.session());
        assert!(!ran.session().contains(KEY));
    }
    home.file("key", "two words");
    let ran = home.run(&["doctor", "model"]).ends(3);
    assert!(ran.out.contains("TL-5101") && ran.out.contains("one word"), "{}", ran.session());
    let ran = home.run(&["serve", "--listen", "127.0.0.1:0"]).ends(4);
    assert!(ran.err.contains("TL-5101") && !ran.err.contains("two words"), "{}", ran.session());
}

#[test]
fn no_model_is_well() {
    let ran = Home::new().run(&["doctor", "model"]).ends(0);
    assert!(ran.out.contains("none is configured"), "{}", ran.session());
}
