//! Every form of the scenario language parses to its meaning, and every mistake is reported with its line and a
//! suggestion.

use throughline_engine::data::call::Risk;
use throughline_engine::data::message::MessageKind;
use throughline_engine::data::view::ClarifierType;
use throughline_testkit::model::{Act, Expectation, Fault, HostAnswer, PendingExpect, Restart, When};
use throughline_testkit::{parse, write};

/// A scenario with every top-level key.
const EXAMPLE: &str = r#"scenario: duplicate approve
about: Two presses of one button create one issue.
given:
  channel: slack                      # slack | telegram | web
  clock: 2026-01-15T10:00:00Z
  users: { ana: { may: [approve] }, bob: {} }
  lanes:                              # default lane: main
    t1: { messages: [ { ana: Hello }, { assistant: Hi, kind: answer, as: hi } ] }
    t2: {}
  pending: []
  tasks: []
  facts: []
  sets: []
  tools: {}
  agents: {}
  policy: { selection.enabled: true }
  tracker: { project: AUTH, required: [summary, description], fail: [] }
  model: script
script:
  - { purpose: draft, answer: { type: bug, title: Login fails, acceptance: [ one ] } }
  - { purpose: classify, fail: timeout }
turns:
  - ana: Create a ticket for login bug
    expect:
      intent: ticket
      card: { step: draft_preview, version: 1, buttons: [approve, edit, reject] }
      effects: none
  - ana: { press: approve, card: latest }
    expect: { effects: { tracker.create: 1 } }
  - ana: { press: approve, card: latest }
    expect: { private: Already processed, effects: none, reason: press.consumed }
  - bob: { says: yes, lane: t2, replies_to: latest.question }
  - advance: 2h1ms
  - restart: kill
always: [no_effect_without_approval, one_writer_per_lane, press_never_silent]
"#;

#[test]
fn a_scenario_names_the_rows_it_covers() {
    let rows = |row: &str| parse("a", &format!("scenario: a\n{row}turns: []\n")).unwrap().rows;
    assert_eq!(rows("row: W9\n"), ["W9"]);
    assert_eq!(rows("row: [W9, W10]\n"), ["W9", "W10"]);
    assert!(rows("").is_empty());
    let text = "scenario: a\nrow: [W9, W10]\nturns: []\n";
    assert_eq!(write(&parse("a", text).unwrap()), text);
    assert!(parse("a", "scenario: a\nrow: {}\nturns: []\n").is_err());
}

#[test]
fn every_top_level_key_parses() {
    let scenario = parse("example", EXAMPLE).unwrap();
    assert_eq!((scenario.given.channel.as_str(), scenario.given.tracker.project.as_str()), ("slack", "AUTH"));
    assert!(scenario.given.users["ana"].approves && !scenario.given.users["bob"].approves);
    assert_eq!(scenario.given.lanes["t1"][1].name.as_deref(), Some("hi"));
    assert_eq!(scenario.given.lanes["t1"][1].kind, MessageKind::Answer);
    assert!(scenario.given.facts.is_empty(), "empty lists ask for nothing");
    assert_eq!((scenario.script.len(), scenario.always.len()), (2, 3));
    assert_eq!(scenario.turns.iter().map(|turn| turn.line).collect::<Vec<_>>(), [23, 28, 30, 32, 33, 34]);
    assert_eq!(scenario.turns[4].act, Act::Advance(7_200_001));
    assert_eq!(scenario.turns[5].act, Act::Restart(Restart::Kill));
    let Act::Message(says) = &scenario.turns[3].act else { panic!() };
    assert_eq!((says.text.as_str(), says.lane.as_str()), ("yes", "t2"));
    let again = parse("example", &write(&scenario)).unwrap();
    assert_eq!((again.given, again.script), (scenario.given, scenario.script));
}

/// Parses one turn in a small world and checks that writing keeps it.
fn turn(text: &str) -> throughline_testkit::model::Turn {
    let file = format!("scenario: s\nturns:\n  - {}\n", text.replace('\n', "\n    "));
    let scenario = parse("t", &file).unwrap_or_else(|error| panic!("{error}\n{file}"));
    let written = write(&scenario);
    let mut again = parse("t", &written).unwrap_or_else(|error| panic!("{error}\n{written}"));
    again.turns[0].line = scenario.turns[0].line;
    assert_eq!(again.turns, scenario.turns, "{written}");
    scenario.turns.into_iter().next().unwrap()
}

#[test]
fn every_form_of_turn_parses() {
    for text in [
        "ana: hello",
        "ana: 5",
        "ana: \"one: two\\nthree\"",
        "ana: |-\n  two\n  lines",
        "ana: { says: Swansea, lane: t1, replies_to: latest.question, quote: Where?, attach: [a.png] }",
        "ana: { says: better, edits: first, as: second }",
        "ana: { press: approve, card: card.v1, times: 2, deliveries: 3, lane: t1 }",
        "ana: { press: select_review, remember: true }",
        "ana: { press: edit_story, card: latest }",
        "ana: { command: /maro forget }",
        "ana: { submits: { title: T, labels: \"\" }, card: first.card }",
        "host: { assistant.posted: { kind: question, task: t1, text: Which?, expected: \"selection:A|B\", asked_of: ana, expires: 5m } }",
        "host: { options.shown: { scope: widget, title: Recent, options: [Budget, { id: b, label: Roadmap, badge: R, aliases: [map], exec_ref: none, metadata: { path: /r, recency_rank: 1 } }], displayed: [b], refreshable: true } }\nas: W1",
        "host: { options.shown: { options: [A], user: ana, focused_option: A, lane: t1 } }",
        "host: { options.closed: { set: F1 } }",
        "host: { options.closed: { scope_instance: recent, lane: t1 } }",
        "host: { focus.changed: { user: ana, scope_instance: recent, option: b } }",
        "host: { focus.changed: { user: ana, scope: chat } }",
        "ana: { presses: { set: F1, option: opt-1 } }",
        "ana: { presses: { set: F1, option: opt-1, version: 2 }, lane: t1 }",
        "ana: { press: option, item: opt-1, card: latest }",
        "ana: { press: none_of_these, card: first.card }",
        "host: { task.reported: { task_id: t, status: blocked, at: 5m, intent: Draft, reason: Waiting, result: None } }",
        "notify: { from: writer, text: done, lane: t1 }",
        "effect: { settle: tracker.create, as: uncertain, text: timeout }",
        "effects: { pause: { by: root, everything: true } }",
        "effects: resume",
        "advance: 14d1ms",
        "restart: clean",
    ] {
        turn(text);
    }
    let Act::HostPost(says) = turn("host: { assistant.posted: { text: Which?, expected: location } }").act
    else {
        panic!()
    };
    assert_eq!((says.kind, says.lane.as_str(), says.expires), (MessageKind::Question, "main", None));
    let at = turn("host: { assistant.posted: { text: Hi, expires: 2026-01-15T10:00:00.001Z } }").act;
    assert!(matches!(at, Act::HostPost(says) if matches!(says.expires, Some(When::At(_)))));
    let text = turn("ana: |-\n  two\n  lines").act;
    assert!(matches!(text, Act::Message(says) if says.text == "two\nlines"));
    let named = turn("ana: { says: better, edits: first, as: second }");
    assert_eq!(named.name.as_deref(), Some("second"));
}

#[test]
fn tools_agents_and_tasks_parse() {
    let text = r#"scenario: s
given:
  tools:
    weather: { risk: read, args: { city: location, mode: "selection:A|B" }, answer: [Sunny, Rain], fail: [refused, ok] }
  agents:
    writer: { risk: destructive, answer: Done, idempotent: false }
    reader: {}
  tasks:
    - { id: t_1, intent: Look it up, status: failed, tool: weather, by: ana }
    - { id: t_2, agent: writer }
  pending:
    - { kind: delegation_offer, task: t_2, with: reader }
turns: []
"#;
    let scenario = parse("t", text).unwrap();
    let given = &scenario.given;
    assert_eq!((given.tools["weather"].args.len(), given.tools["weather"].answer.len()), (2, 2));
    assert_eq!(given.agents["reader"].risk, Risk::Read, "what a scenario does not say only reads");
    assert_eq!(given.tasks[0].work, Some(("tool".into(), "weather".into())));
    assert_eq!(given.pending[0].with.as_deref(), Some("reader"));
    assert_eq!(parse("t", &write(&scenario)).unwrap().given, scenario.given);
    for (wrong, says) in [
        ("tools: { a: { risk: maybe } }", "read"),
        ("agents: { a: { args: { x: text } } }", "args"),
        ("tasks: [{ id: t, tool: a, agent: b }]", "not with both"),
        ("tasks: [{ intent: x }]", "needs an `id`"),
    ] {
        let error = parse("t", &format!("scenario: s\ngiven: {{ {wrong} }}\nturns: []\n")).unwrap_err();
        assert!(error.to_string().contains(says), "{wrong}: {error}");
    }
}

#[test]
fn lists_and_hosts_parse() {
    let text = r#"scenario: s
given:
  users: { ana: {}, bob: {} }
  sets:
    - { as: F1, lane: [a, b], options: [Alpha, { id: o, label: Beta, sublabel: Q1, repeatable: false, risk: write, role: exit }], rejected: [o], acted: x, parked: stop, clarifier: open }
    - { as: W1, scope: widget, title: Recent, user: ana, for: [ana], options: [Budget], focused: true, executed: Budget, clarifier: repair }
  host: { option.execute: [done, hold, failed, uncertain], evidence.fetch: { options: [Budget], focused: Budget } }
  model: script
script:
  - { purpose: select, answer: { decision: select, choice: c1, confidence: 0.9 }, hold: true }
turns:
  - ana: hi
"#;
    let scenario = parse("t", text).unwrap();
    let [f1, w1] = scenario.given.sets.as_slice() else { panic!() };
    assert_eq!((f1.lanes.len(), f1.shown.options[0].exec_ref.as_deref()), (2, Some("open:Alpha")));
    assert_eq!(f1.state.clarifier, Some(ClarifierType::SelectionDisambiguation));
    assert_eq!((w1.state.executed.as_deref(), w1.state.focused), (Some("Budget"), true));
    assert_eq!(scenario.given.host["option.execute"][1], HostAnswer::Held);
    assert!(scenario.script[0].held);
    let again = parse("t", &write(&scenario)).unwrap();
    assert_eq!((again.given, again.script), (scenario.given, scenario.script));
}

#[test]
fn a_tracker_parses() {
    let text = r#"scenario: s
given:
  tracker:
    project: AUTH
    required: title
    types: [epic, story]
    values: { labels: [sso, web], risks: low }
    may: { create: [ana] }
    child_link: epic_link
    lag: 5m
    idempotent: false
    fail:
      - lost_reply
      - { create: rejected, item: 4, field: title }
      - { create: late_apply, item: Log out, after: 1m }
      - { check: requires, field: labels }
      - { seek: ok }
turns: []
"#;
    let scenario = parse("t", text).unwrap();
    let tracker = &scenario.given.tracker;
    assert_eq!(tracker.values["risks"], ["low"]);
    assert_eq!((tracker.lag, tracker.child_link.as_deref()), (300_000, Some("epic_link")));
    assert_eq!(tracker.fail[0], Fault::next("create", "lost_reply"));
    let late =
        Fault { item: Some("Log out".into()), after: Some(60_000), ..Fault::next("create", "late_apply") };
    assert_eq!((tracker.fail[1].item.as_deref(), &tracker.fail[2]), (Some("4"), &late));
    assert_eq!(parse("t", &write(&scenario)).unwrap().given, scenario.given);
}

#[test]
fn every_expectation_parses() {
    for (text, count) in [
        ("decision: shown", 1),
        ("reason: press.consumed", 1),
        ("rung: 9", 1),
        ("rung: intent", 1),
        ("intent: ambiguous", 1),
        ("pending: none", 1),
        ("pending: waiting_approval", 1),
        ("pending: { kind: slot_request, expected: location, value: Swansea }", 1),
        ("pending: [waiting_approval, { kind: slot_request, expected: text }]", 1),
        ("pending: []", 1),
        ("applied: yes", 1),
        ("applied: none", 1),
        ("focus: { source: reply.payload, anchor: hi, task: t1 }", 1),
        ("focus: none", 1),
        ("says: [a, b]\nprivate: c", 2),
        ("card: none", 1),
        ("card: { step: review_active, version: 2, buttons: [show_full, finish], title: T, state: open }", 1),
        ("card: { buttons: none }", 1),
        ("effects: none", 1),
        ("effects: { tracker.create: 6, tracker.link: 5 }", 1),
        ("model_calls: 0", 1),
        ("task: none", 1),
        ("task: completed", 1),
        ("task: { intent: T, status: blocked }", 1),
        ("task: { id: t, reason: r, result: s, with: writer, attempt: 2 }", 1),
        ("prompt: text", 1),
        ("facts: [a]\nreference: bound\nwarnings: [w]", 3),
        ("reason: selection.loop_guard\nselected: A\nclarify: [A, B]\nprovenance: safe_clarifier", 4),
        ("selected: none\nclarify: none\nprovenance: none\nhandoff: none\nview: empty\ntelemetry: none", 6),
        ("handoff: semantic", 1),
        (
            "handoff: { kind: semantic, scope: chat, optionSetId: F1, slot: explain_last_action, referentRef: { id: a } }",
            1,
        ),
        (
            "view: { user: bob, activeOptionSetId: F1, recentRejectedChoiceIds: [a], lists: { F1: active, W1: parked(stop) } }",
            1,
        ),
        ("view: { activeOptionSetId: none, lastResolvedAction: opt-2, allRejected: true }", 1),
        (
            "telemetry: [selection_llm_select, { selection_llm_need_more_info: { reason: timeout, activeScope: chat } }]",
            1,
        ),
        ("not: { intent: ticket, says: x, not: { says: y } }", 1),
        ("{}", 0),
    ] {
        let read = turn(&format!("ana: hi\nexpect:\n  {}", text.replace('\n', "\n  ")));
        assert_eq!(read.expect.map(|all| all.len()), Some(count), "{text}");
    }
    let read = turn("ana: hi\nexpect: { pending: [], rung: 9 }").expect.unwrap();
    assert!(read.contains(&Expectation::Pending(PendingExpect::All(Vec::new()))));
    assert!(read.iter().any(|one| matches!(one, Expectation::Rung(rung) if rung.number() == 9)));
}

#[test]
fn every_mistake_has_its_line_and_a_suggestion() {
    for (text, expected) in [
        ("expct: {}", "t:7: unknown key `expct`: did you mean `expect`?"),
        ("expect: { efects: none }", "t:7: unknown key `efects`: did you mean `effects`?"),
        (
            "expect:\n  card: { step: draft_preview,\n          verson: 1 }",
            "t:9: unknown key `verson`: did you mean `version`?",
        ),
        (
            "expect: { reason: press.aplied }",
            "t:7: `press.aplied` is not a reason of this version: did you mean `press.applied`?",
        ),
        (
            "expect: { card: { buttons: [aprove] } }",
            "t:7: `aprove` is not an action: did you mean `approve`?",
        ),
        (
            "expect: { effects: { reply: 1 } }",
            "t:7: `reply` does not leave the thread; `effects` counts what does",
        ),
        (
            "expect: { effects: { tracker.crate: 1 } }",
            "t:7: `tracker.crate` is not an effect class: did you mean `tracker.create`?",
        ),
        (
            "expect: { effects: some }",
            "t:7: `effects` is `none`, or how many of each class: { tracker.create: 1 }",
        ),
        ("expect: { model_calls: few }", "t:7: `model_calls` must be a whole number, and is text"),
        (
            "expect: { view: { activeScop: chat } }",
            "t:7: unknown key `activeScop`: did you mean `activeScope`?",
        ),
        ("expect: { view: { lists: { F1: parked } } }", "t:7: `parked` is not how a list stands"),
        (
            "expect: { telemetry: selection_llm_selct }",
            "t:7: `selection_llm_selct` is not an event of this lane",
        ),
        ("expect: 5", "t:7: `expect` must be a map, and is a number"),
        ("bob: hi", "t:6: one turn is one act; here are several (ana, bob)"),
    ] {
        slip(&format!("- ana: hi\n{text}"), expected);
    }
    for (text, expected) in [
        ("- anna: hi", "t:6: nobody is called `anna`: did you mean `ana`?"),
        ("- advanse: 2h", "t:6: no turn begins with `advanse`: did you mean `advance`?"),
        ("- advance: 2 hours", "t:6: `2 hours` is no length of time like 15m or 2h1ms"),
        ("- restart: softly", "t:6: `softly` is not a way to restart; known are clean, kill"),
        ("- ana: { sais: hi }", "t:6: unknown key `sais`: did you mean `says`?"),
        ("- ana: { press: approve, times: 0 }", "t:6: at least once"),
        ("- ana: { says: hi, lane: t3 }", "t:6: no lane is called `t3`: did you mean `t1`?"),
        ("- host: { optoins.shown: {} }", "t:6: unknown key `optoins.shown`: did you mean `options.shown`?"),
        (
            "- host: { assistant.posted: { text: x, expected: gender } }",
            "t:6: unknown expected type \"gender\"",
        ),
        ("- ana: a: b", "t:6: mapping values are not allowed in this context"),
        ("- ana: hi\nana: ho", "t:6: turns[0]: duplicate entry with key \"ana\""),
        ("- {}", "t:6: a turn says who does what"),
        ("- ana: { presses: { set: F1 } }", "t:6: `option` is missing"),
        ("- host: { options.closed: {} }", "t:6: what is closed is a `set` or a `scope_instance`"),
        (
            "- host: { options.shown: { options: [a], scope: wdget } }",
            "t:6: `wdget` is not a scope: did you mean `widget`?",
        ),
    ] {
        slip(text, expected);
    }
}

fn slip(turn: &str, expected: &str) {
    let head = "scenario: s\ngiven:\n  users: { ana: {}, bob: {} }\n  lanes: { t1: {} }\nturns:\n";
    let error = parse("t", &format!("{head}  {}\n", turn.replace('\n', "\n    "))).unwrap_err().to_string();
    assert!(error.starts_with(expected), "{error}\nexpected: {expected}");
}

#[test]
fn mistakes_outside_the_turns_have_their_line() {
    for (text, expected) in [
        ("scenario: s\n", "t:1: `turns` is missing"),
        ("turns: []\n", "t:1: `scenario` is missing"),
        ("scenario: s\nalwys: []\nturns: []\n", "t:2: unknown key `alwys`: did you mean `always`?"),
        (
            "scenario: s\nturns: []\nalways: [one_riter_per_lane]\n",
            "t:3: `one_riter_per_lane` is not a checker: did you mean",
        ),
        (
            "scenario: s\ngiven:\n  chanel: web\nturns: []\n",
            "t:3: unknown key `chanel`: did you mean `channel`?",
        ),
        ("scenario: s\ngiven:\n  clock: today\nturns: []\n", "t:3: `today` is no moment like"),
        (
            "scenario: s\ngiven:\n  users: { ana: { may: aprove } }\nturns: []\n",
            "t:3: `aprove` is not something a user may: did you",
        ),
        (
            "scenario: s\ngiven:\n  tracker: { fail: [lost_repli] }\nturns: []\n",
            "t:3: `lost_repli` is not a way for a request to fail: did",
        ),
        (
            "scenario: s\ngiven:\n  pending: [ { kind: slot } ]\nturns: []\n",
            "t:3: `slot` is not a kind of pending",
        ),
        ("scenario: s\nscript: [ { purpose: classify, fail: x } ]\nturns: []\n", "t:1: a `script` needs"),
        ("- 5\n", "t:1: the file must be a map, and is a list"),
    ] {
        let error = parse("t", text).unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}\nexpected: {expected}");
    }
}
