//! `throughline chat`: scripted conversations.

use crate::home::{BUG, Home};
use crate::server::Server;

/// Redacts ids, hashes and times, which differ from run to run.
fn redacted(test: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    for (pattern, name) in [
        (r"\b(ln|fx)_[a-z2-7]{24}\b", "${1}_…"),
        (r"\b(tn|cd|ap|tm)_[a-z2-7]{16}([a-z2-7]{8})?(_\d+)+\b", "${1}_…"),
        (r"\b(dr|pd|m|t)_\d+_\d+\b", "${1}_…"),
        (r"\b\d{1,2} [A-Z][a-z]{2}( \d{4})? \d{2}:\d{2}( UTC)?\b", "(then)"),
        (r"\b\d{4}-\d{2}-\d{2} at \d{2}:\d{2} UTC", "(then)"),
        (r"\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{3})?Z", "(then)"),
        (r"\b\d{2}:\d{2}(:\d{2})?( UTC)?\b", "(time)"),
        (r"\b[0-9a-f]{64}\b", "(hash)"),
        (r"\b[0-9a-f]{8}\b", "(hash8)"),
        (r"Policy version: [0-9a-f]{12}", "Policy version: (policy)"),
        // A day of two digits makes the line longer than its terminal.
        (r"(may approve: [^\n]*)\n( *)until \(then\) · ", "$1 · until (then)\n$2"),
    ] {
        settings.add_filter(pattern, name);
    }
    settings.bind(test);
}

#[test]
fn a_ticket_from_the_first_word_to_the_receipt() {
    let home = Home::new();
    let script = "\
hello
create a bug: log-in fails with a blank page\\
Steps: open the page\\
Expected: a form\\
Actual: nothing
approve
:9
:2 title=Log-in fails; risks=none
:1
:1
:why
/maro status
thanks
:quit
";
    let ran = home.run_with(&["chat", "--no-input", "--session", "s1"], script, &[]).ends(0);
    redacted(|| insta::assert_snapshot!(ran.session()));
    // Other commands read the outcome from the store.
    let approvals = home.run(&["approvals", "list", "--all", "--json"]).ends(0).json();
    assert_eq!(approvals[0]["state"], "approved", "{approvals}");
    let effects = home.run(&["effects", "list", "--json"]).ends(0).json();
    let created: Vec<_> =
        effects.as_array().unwrap().iter().filter(|one| one["class"] == "tracker.create").collect();
    assert_eq!(created.len(), 1, "{effects}");
    let lanes = home.run(&["lanes", "list", "--json"]).ends(0).json();
    let lane = lanes[0]["id"].as_str().unwrap();
    home.run(&["replay", lane]).ends(0);
    home.run(&["audit", "verify"]).ends(0);
    // The recorded lane passes as a scenario.
    home.run(&["record", lane, "--out", "recorded.scenario.yaml"]).ends(0);
    home.run(&["test", "recorded.scenario.yaml"]).ends(0);
}

#[test]
fn a_conversation_goes_on_after_the_program_ended() {
    let home = Home::new();
    let chat = ["chat", "--no-input", "--session", "again"];
    home.run_with(&chat, BUG, &[]).ends(0);
    let ran = home.run_with(&chat, "/maro pending\n:1\n", &[]).ends(0);
    redacted(|| insta::assert_snapshot!(ran.session()));
}

#[test]
fn with_json_each_answer_is_one_line() {
    let home = Home::new();
    let ran = home.run_with(&["chat", "--no-input", "--json"], "hello\n/maro status\n", &[]).ends(0);
    let answers: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer["turn"].is_string()));
}

/// Redacts the keys of stories, which are created in parallel.
fn redacted_keys(test: impl FnOnce()) {
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(r"DEMO-[2-9]\b", "DEMO-n");
    settings.bind(|| redacted(test));
}

#[test]
fn a_batch_from_the_first_word_to_the_receipt() {
    let home = Home::new();
    let script = "\
Create an epic with 3 stories for auth\\
Problem: nobody can sign in to the shop\\
Acceptance criteria: all stories are done\\
- As a customer I want to log in\\
  Acceptance criteria: it works on a phone\\
- As a customer I want to log out\\
  Acceptance criteria: it works on a phone
:2
Reset my password\\
Problem: people forget it\\
Acceptance criteria: a mail within a minute
:10
Log out everywhere\\
Problem: a lost laptop stays signed in\\
Acceptance criteria: one press ends every session
:9
:1
:1
:1
/maro status
";
    let ran = home.run_with(&["chat", "--no-input", "--session", "s1"], script, &[]).ends(0);
    redacted_keys(|| insta::assert_snapshot!(ran.session()));
    let effects = home.run(&["effects", "list", "--json"]).ends(0).json();
    let created = effects.as_array().unwrap().iter().filter(|one| one["class"] == "tracker.create").count();
    assert_eq!(created, 4, "{effects}");
}

#[test]
fn a_review_its_epic_and_a_decision_that_is_posted() {
    let home = Home::new();
    let script = "\
What do you think about microservices?
:4
:1
Review this plan: we will use Postgres for orders. A migration may break the reports.
ok, but what about backups?
:1
thanks, looks good
create the epic for that
Acceptance criteria: orders are in Postgres
:1
record the decision about orders: we use Postgres because we know it.
:2 why=We run it already.
:1
:1
/maro tracked
";
    let ran = home.run_with(&["chat", "--no-input", "--session", "s1"], script, &[]).ends(0);
    redacted_keys(|| insta::assert_snapshot!(ran.session()));
    let effects = home.run(&["effects", "list", "--json"]).ends(0).json();
    for (class, count) in [("tracker.create", 1), ("post.channel", 1), ("tracker.update", 1)] {
        let seen = effects.as_array().unwrap().iter().filter(|one| one["class"] == class).count();
        assert_eq!(seen, count, "{class}: {effects}");
    }
}

/// A message that is handed to a host's agent is answered in the chat by what the agent says, without a line in between.
#[test]
fn what_a_hosts_agent_answers_is_shown_under_the_message() {
    let home = Home::new();
    home.file("agent.toml", "[policy]\nfallback = \"host\"\n");
    let server = Server::start_with(&home, &["--config", "agent.toml"]);
    let arguments = ["chat", "--no-input", "--server", &server.url];
    let said = std::thread::scope(|scope| {
        let chat =
            scope.spawn(|| home.run_with(&arguments, "how many backups are there?\n:quit\n", &[]).ends(0));
        let handed = loop {
            assert!(!chat.is_finished(), "nothing was handed over: {}", chat.join().unwrap().session());
            let all = server.get("/v1/effects?state=attempted");
            if let Some(id) = all["items"][0]["id"].as_str() {
                break id.to_owned();
            }
        };
        let answer =
            r#"{"outcome":"applied","answer":{"assistant":{"kind":"answer","text":"Two of them."}}}"#;
        server.post(&format!("/v1/effects/{handed}/result"), "r1", answer);
        chat.join().unwrap()
    });
    assert_eq!(said.out, "> how many backups are there?\nTwo of them.\n\n> :quit\n", "{}", said.session());
    assert!(!said.err.contains("has not answered yet"), "{}", said.session());
    assert_eq!(server.terminate(), 0);
}
