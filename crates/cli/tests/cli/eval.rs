//! `throughline eval`: measures cases, compares with a baseline, and makes cases of recorded lanes.

use crate::home::Home;
use crate::server::Server;

const CASES: &str = r#"{"id":"c1","task":"closing","source":"own","system_text":"Your lamp is repaired.","user_text":"Thanks, that's all.","gold":"complete"}
{"id":"c2","task":"closing","source":"own","system_text":"Your lamp is repaired.","user_text":"thanks","gold":"not_complete"}
{"id":"p1","task":"pending","source":"own","pending":{"kind":"confirm","expected_type":"boolean"},"system_text":"Shall I repair it?","user_text":"yes please","gold":"applies","gold_sub":null,"gold_value":{"boolean":true}}
{"id":"p2","task":"pending","source":"own","pending":{"kind":"confirm","expected_type":"boolean"},"system_text":"Shall I repair it?","user_text":"yes","gold":"new_task","gold_sub":"task","gold_value":null}
"#;

#[test]
fn figures_with_their_goals() {
    let home = Home::new();
    home.file("own.jsonl", CASES);
    insta::assert_snapshot!(home.run(&["eval", "own.jsonl", "--show", "1"]).ends(0).session());
    insta::assert_snapshot!(home.run(&["eval", "own.jsonl", "--brief"]).ends(0).session());
}

#[test]
fn a_program_reads_the_same() {
    let home = Home::new();
    home.file("data/own.jsonl", CASES);
    home.file("data/notes.txt", "not read");
    let report = home.run(&["eval", "data", "--json", "--show", "5", "--mistake", "approved"]).ends(0).json();
    assert_eq!((&report["cases"], &report["tasks"][0]["task"]), (&4.into(), &"pending".into()));
    assert_eq!(report["shown"]["pending"][0]["id"], "p2");
    assert_eq!(report["shown"]["closing"].as_array().map(Vec::len), Some(0), "of another kind: {report}");
    let none = home.run(&["eval", "data", "--brief", "--show", "5", "--mistake", "aproved"]).ends(0);
    assert!(none.err.contains("no mistake of the kind aproved"), "{}", none.session());
    let recall = &report["figures"][0];
    assert_eq!((&recall["key"], &recall["met"]), (&"pending.boolean.recall".into(), &true.into()));
    assert_eq!((&recall["seen"]["hits"], &recall["goal"]), (&1.into(), &"≥ 0.97".into()));
    let plain = home.run(&["eval", "data", "--plain"]).ends(0).out;
    assert!(plain.contains("pending, boolean\trecall\t1.0000\t.21–1.00\t1/1\t"), "{plain}");
}

#[test]
fn every_case_is_a_line_of_the_predictions() {
    let home = Home::new();
    home.file("own.jsonl", CASES);
    let arguments = ["eval", "own.jsonl", "--predictions", "out.jsonl"];
    assert!(home.run(&arguments).ends(0).err.contains("wrote out.jsonl"));
    let lines = std::fs::read_to_string(home.path().join("out.jsonl")).unwrap();
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["id"], &first["bool"]), (&"p1".into(), &true.into()));
    assert_eq!(lines.lines().count(), 4);
    let again = home.run(&["eval", "own.jsonl", "--predictions", "nowhere/out.jsonl"]).ends(1);
    assert!(again.err.contains("cannot write nowhere/out.jsonl"), "{}", again.session());
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let home = Home::new();
    let wrong = "{\"task\":\"closing\",\"id\":\"1\"\n{\"task\":\"closings\"}\n{\"task\":\"closing\",\"id\":\"1\",\"source\":\"own\"}\n";
    home.file("wrong.jsonl", wrong);
    insta::assert_snapshot!(home.run(&["eval", "wrong.jsonl"]).ends(1).session());
    home.file("empty.jsonl", "\n");
    insta::assert_snapshot!(home.run(&["eval", "empty.jsonl"]).ends(2).session());
    let missing = home.run(&["eval", "nowhere.jsonl", "--json"]).ends(2);
    assert!(
        missing.err.contains("TL-1202") && missing.err.contains("nowhere.jsonl"),
        "{}",
        missing.session()
    );
    std::fs::write(home.path().join("bytes.jsonl"), [0xff, 0xfe]).unwrap();
    assert!(home.run(&["eval", "bytes.jsonl"]).ends(2).err.contains("TL-1202"));
    home.file("own.jsonl", CASES);
    assert!(home.run(&["eval", "own.jsonl", "--source", "theirs"]).ends(2).err.contains("TL-1204"));
    assert!(home.run(&["eval"]).ends(2).err.contains("FILE"));
    for (many, told) in [(10, ""), (12, "and 2 more")] {
        home.file("many.jsonl", &"{\n".repeat(many));
        let ran = home.run(&["eval", "many.jsonl"]).ends(1);
        assert!(ran.err.contains("TL-1203") && ran.err.contains(told), "{}", ran.session());
    }
}

#[test]
fn a_baseline_holds_for_its_own_cases() {
    let home = Home::new();
    home.file("own.jsonl", CASES);
    home.run(&["eval", "own.jsonl", "--record-baseline", "b.json"]).ends(0);
    let same = home.run(&["eval", "own.jsonl", "--brief", "--baseline", "b.json"]).ends(0);
    assert!(same.out.contains("nothing changed"), "{}", same.session());
    let other = home.run(&["eval", "own.jsonl", "--task", "closing", "--baseline", "b.json"]).ends(6);
    assert!(other.err.contains("TL-1205") && other.err.contains("other cases"), "{}", other.session());
    assert!(home.run(&["eval", "own.jsonl", "--baseline", "nowhere.json"]).ends(2).err.contains("TL-1205"));
    home.file("none.json", "{}");
    assert!(home.run(&["eval", "own.jsonl", "--baseline", "none.json"]).ends(1).err.contains("TL-1205"));
}

/// Two hundred cases are enough to detect a regression.
#[test]
fn what_got_worse_ends_with_3() {
    let home = Home::new();
    let case = |n: usize| CASES.lines().nth(1).unwrap().replace("\"c2\"", &format!("\"c{n}\"")) + "\n";
    home.file("many.jsonl", &(0..200).map(case).collect::<String>());
    home.run(&["eval", "many.jsonl", "--record-baseline", "b.json"]).ends(0);
    let recorded = std::fs::read_to_string(home.path().join("b.json")).unwrap();
    home.file("b.json", &recorded.replace("\"hits\": 200", "\"hits\": 198"));
    let worse = home.run(&["eval", "many.jsonl", "--brief", "--baseline", "b.json"]).ends(3);
    assert!(
        worse.out.contains("closing.not_complete") && worse.out.contains("rollback"),
        "{}",
        worse.session()
    );
    home.file("b.json", &recorded.replace("\"hits\": 200", "\"hits\": 199"));
    home.run(&["eval", "many.jsonl", "--baseline", "b.json"]).ends(0);
}

/// Returns a thousand cases with lists. `clear` messages name an option; the others fit two.
fn lists(clear: usize) -> String {
    let case = |n: usize| {
        let (said, gold) = if n < clear {
            ("links panel d", r#"{"index":0}"#)
        } else {
            ("open links", r#"{"ambiguous":[0,1]}"#)
        };
        format!(
            r#"{{"id":"s{n}","source":"own","task":"selection","options":["Links Panel D","Links Panel E"],"user_text":"{said}","gold":{gold}}}"#
        ) + "\n"
    };
    (0..1_000).map(case).collect()
}

/// The rate of clarifying questions may rise by a tenth: from 20.0 % to 21.9 %, but not to 22.1 %.
// row: S67
#[test]
fn a_tenth_more_clarifiers_is_a_breach() {
    let home = Home::new();
    for (clear, ends) in [(779, 3), (781, 0)] {
        home.file("lists.jsonl", &lists(clear));
        home.run(&["eval", "lists.jsonl", "--record-baseline", "b.json"]).ends(0);
        // The rate that an earlier release had on the same cases.
        let recorded = std::fs::read_to_string(home.path().join("b.json")).unwrap();
        let asked = format!("\"asked\": {}", 1_000 - clear);
        assert!(recorded.contains(&asked), "{recorded}");
        home.file("b.json", &recorded.replace(&asked, "\"asked\": 200"));
        let ran = home.run(&["eval", "lists.jsonl", "--brief", "--baseline", "b.json"]).ends(ends);
        let row = ran.out.lines().find(|line| line.starts_with("selection.clarifiers")).unwrap();
        assert!(row.contains("0.200"), "{row}");
        assert_eq!(row.ends_with("rollback"), ends == 3, "{row}");
    }
    home.file("lists.jsonl", &lists(780));
    let other = home.run(&["eval", "lists.jsonl", "--baseline", "b.json"]).ends(6);
    assert!(other.err.contains("other cases"), "{}", other.session());
}

/// The rollout is judged by comparing measurements with and without the flag.
#[test]
fn lists_are_measured_with_the_flag_and_without() {
    let home = Home::new();
    home.file("lists.jsonl", &lists(800));
    let off = [("THROUGHLINE_SELECTION_ENABLED", "false")];
    home.run_with(&["eval", "lists.jsonl", "--record-baseline", "off.json"], "", &off).ends(0);
    // Without lists such messages are let be; with them, what fits two options is asked about.
    let on = home.run(&["eval", "lists.jsonl", "--baseline", "off.json", "--json"]).ends(3).json();
    let changes = on["changes"].as_array().unwrap();
    let figure = |key: &str| changes.iter().find(|change| change["key"] == key).unwrap().clone();
    let clarifiers = figure("selection.clarifiers");
    assert_eq!((&clarifiers["before"]["hits"], &clarifiers["now"]["hits"]), (&0.into(), &200.into()));
    assert_eq!(figure("selection.wrong_actions")["change"], "same");
    assert!(figure("selection.decision_p95")["now"]["ms"].is_number());
    assert_eq!(on["watched"]["passed"], 0);
}

/// `--live` counts the choices that were executed, undone and left alone in an instance, once it is stopped.
#[test]
fn recorded_turns_are_counted_the_same_way() {
    let home = Home::new();
    let server = Server::start(&home);
    let option = |n: usize| format!(r#"{{"id":"o{n}","label":"Panel {n}","exec_ref":"open:{n}"}}"#);
    let shown = format!(
        r#""kind":"options.shown","shown":{{"scope":"chat","scope_instance":"s1","options":[{},{},{}]}}"#,
        option(1),
        option(2),
        option(3)
    );
    let says = |text: &str| format!(r#""kind":"message.posted","actor":{{"id":"ana"}},"text":"{text}""#);
    let texts = ["both", "panel 1", "no, panel 2", "what is panel 2?"].map(says);
    for (n, event) in [shown].iter().chain(&texts).enumerate() {
        let body = format!(r#"{{"lane":{{"conversation":"s1"}},{event}}}"#);
        let turn = server.post("/v1/events", &format!("event-{n}"), &body);
        let effects = turn["effects"].as_array().into_iter().flatten();
        for run in effects.filter(|effect| effect["class"] == "option.execute") {
            let id = run["id"].as_str().unwrap();
            server.post(&format!("/v1/effects/{id}/result"), id, r#"{"outcome":"applied"}"#);
        }
    }
    assert_eq!(server.terminate(), 0);
    let ran = home.run(&["eval", "--live", "--json", "--record-baseline", "b.json"]).ends(0).json();
    let of = |figure: &str| ran["watched"][figure].as_u64().unwrap();
    assert_eq!((of("turns"), of("wrong"), of("passed")), (4, 1, 1), "{ran:#}");
    let then = home.run(&["eval", "--live", "--baseline", "b.json"]).ends(0);
    assert!(then.out.contains("wrong actions") && then.out.contains("insufficient"), "{}", then.session());
    let later = home.run(&["eval", "--live", "--since", "2999-01-01T00:00:00Z", "--json"]).ends(0).json();
    assert_eq!(later["watched"]["turns"], 0);
    home.run(&["eval", "--live", "--since", "yesterday"]).ends(2);
    home.file("own.jsonl", CASES);
    home.run(&["eval", "own.jsonl", "--baseline", "b.json"]).ends(6);
}

/// Fewer than two hundred turns are no evidence of a regression, and the command exits with 0.
#[test]
fn too_few_lists_say_nothing() {
    let home = Home::new();
    home.file("lists.jsonl", &lists(0).lines().take(150).fold(String::new(), |all, line| all + line + "\n"));
    home.run(&["eval", "lists.jsonl", "--record-baseline", "b.json"]).ends(0);
    let recorded = std::fs::read_to_string(home.path().join("b.json")).unwrap();
    home.file("b.json", &recorded.replace("\"asked\": 150", "\"asked\": 1"));
    let ran = home.run(&["eval", "lists.jsonl", "--brief", "--baseline", "b.json"]).ends(0);
    assert!(ran.out.contains("insufficient"), "{}", ran.session());
}

/// The lane has a gate answered with *Create ticket*, a dismissed one, and a message without consequences.
#[test]
fn recorded_lanes_become_cases() {
    let home = Home::new();
    for (session, said) in [
        ("s1", "the checkout crashes on Safari\n:3\nthe window too\n"),
        ("s2", "the login page crashes\n:2\n"),
    ] {
        home.run_with(&["chat", "--no-input", "--session", session], said, &[]).ends(0);
    }
    let ran = home.run(&["eval", "--from-lanes", "--cases", "own.jsonl", "--json"]).ends(0);
    let cases = std::fs::read_to_string(home.path().join("own.jsonl")).unwrap();
    let case = |said: &str| -> serde_json::Value {
        serde_json::from_str(cases.lines().find(|line| line.contains(said)).unwrap()).unwrap()
    };
    assert_eq!(cases.lines().count(), 2, "{cases}");
    assert_eq!(case("the checkout crashes")["gold_accept"][0], "DISCUSSION");
    assert_eq!(case("the login page")["gold_accept"][0], "TICKET");
    assert!(ran.err.contains("1 message made no case"), "{}", ran.session());
    let again = home.run(&["eval", "own.jsonl", "--json"]).ends(0);
    assert_eq!(again.json(), ran.json(), "the file has the same cases");
    home.run(&["eval", "--from-lanes", "own.jsonl"]).ends(2);
    home.run(&["eval", "--from-lanes", "--server", "http://127.0.0.1:9"]).ends(2);
    let nothing = Home::new().run(&["eval", "--from-lanes"]).ends(5);
    assert!(nothing.err.contains("TL-6103"), "{}", nothing.session());
}
