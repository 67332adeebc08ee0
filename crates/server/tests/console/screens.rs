//! Screens of the console, for a lane with many kinds of turns.

use serde_json::{Value, json};
use throughline_server::Sources;
use throughline_server::auth::Token;

use crate::browser::form;
use crate::page::{Operator, Page, sent_from_here, sent_to};
use crate::support::*;

/// Takes a lane from the first message to the issue, with an edit, an outdated press, a press of a stranger and a
/// second press.
pub(crate) async fn story(server: &Server) -> Value {
    let card = server.preview("c1").await;
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Write the whole manual"}}});
    let second = card_of(&server.turn("edit", &form).await);
    assert_eq!(server.press("stale", "c1", "bob", &token(&card, "approve")).await["reason"], "stale.version");
    assert_eq!(
        server.press("eve", "c1", "eve", &token(&second, "approve")).await["reason"],
        "press.forbidden"
    );
    let turn = server.press("bob", "c1", "bob", &token(&second, "approve")).await;
    assert_eq!(turn["reason"], "press.applied");
    assert_eq!(
        server.press("again", "c1", "ana", &token(&second, "approve")).await["reason"],
        "press.consumed"
    );
    json!({"lane": turn["lane"], "turn": turn["turn"], "approval": second["id"]})
}

/// Lists are shown with their options and with the standing for the person who looks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_lane_shows_its_lists_of_options() {
    for server in Server::on_each_store().await {
        let option =
            |id: &str, label: &str| json!({"id": id, "label": label, "exec_ref": format!("open:{id}")});
        let list = |instance: &str, title: &str, user: &str| {
            json!({
                "lane": {"conversation": "c1"}, "kind": "options.shown", "shown": {
                    "scope": "widget", "scope_instance": instance, "title": title, "user": user,
                    "options": [option("a", "Budget"), option("b", "<b>sample2</b>")],
                },
            })
        };
        server.turn("k1", &list("reports", "Reports", "you")).await;
        let turn = server.turn("k2", &list("recent", "Recent", "you")).await;
        server.turn("k3", &list("mine", "Mine", "ana")).await;
        let page = server.page(&format!("/console/lanes/{}", str(&turn, "lane"))).await;
        page.says("Lists of options")
            .says("Recent")
            .says("widget recent · v1, words 1")
            .says("<b>sample2</b>");
        page.says("For you active").says("For you parked displaced").says("@ana active");
        let chosen = server.say("k4", "c1", "you", "the first one").await;
        let turn = server.page(&format!("/console/turns/{}", str(&chosen, "turn"))).await;
        turn.says("Among options")
            .says("Executed a")
            .says("Came about deterministic")
            .says("widget, 2 options");
        turn.says("Told as selection_deterministic_continuity_resolve");
        server.stopped().await;
    }
}

fn str<'v>(value: &'v Value, member: &str) -> &'v str {
    value[member].as_str().expect("text")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_screen_shows_what_happened_and_names_its_twins() {
    for server in Server::on_each_store().await {
        let told = story(&server).await;
        let (lane, approval) = (str(&told, "lane"), str(&told, "approval"));
        let lanes = server.page("/console/lanes").await;
        lanes.says("c1").says("press.consumed").says("throughline lanes list").says("GET /v1/lanes");
        lanes.links_to(&format!("/console/lanes/{lane}"));

        let one = server.page(&format!("/console/lanes/{lane}")).await;
        one.says("Create a task for the manual").says("Created DEMO-1").says("Nothing waits for an answer");
        one.says("@bob pressed Approve on version 1").says("told privately: This preview is outdated");
        one.says("@ana sent the form of Edit on version 1").says(&format!("throughline lanes show {lane}"));
        one.says(&format!("throughline record {lane}"));
        one.links_to(&format!("/console/lanes/{lane}/scenario"));
        assert!(!one.html.contains("tok_") && !one.html.contains("name=\"token\""), "no button's token");

        let approvals = server.page("/console/approvals").await;
        approvals.says("Nothing waits for you");
        let all = server.page("/console/approvals?show=all").await;
        all.says("Write the whole manual")
            .says("approved")
            .links_to(&format!("/console/approvals/{approval}"));

        let record = server.page(&format!("/console/approvals/{approval}")).await;
        record
            .says("Write the whole manual approved")
            .says("role:approver")
            .says("tracker.create to local:DEMO");
        let history = record.after("id=\"history\"");
        for happened in [
            "shown for the first time @ana shown",
            "form of version 1 sent @ana done",
            "Approve on version 1 @bob refused stale.version",
            "Approve on version 2 @eve refused press.forbidden",
            "Approve on version 2 @bob done press.applied",
            "Approve on version 2 @ana refused press.consumed",
        ] {
            history.says(happened);
        }
        assert!(!record.html.contains("<button name=\"decision\""), "it was decided");

        let effects = server.page("/console/effects").await;
        effects.says("create task “Write the whole manual” in local:DEMO").says("Kill switch");
        let issue = server.page("/console/issues/DEMO-1").await;
        issue
            .says("Write the whole manual")
            .says("Nobody knows how it works")
            .says("GET /v1/tracker/issues/DEMO-1");
        issue.links_to(&format!("/console/lanes/{lane}")).links_to(&format!("/console/approvals/{approval}"));
        let effect = issue.links("/console/effects/").remove(0);
        server.page(&effect).await.says("done").says("DEMO-1").links_to(&format!("/console/lanes/{lane}"));
        server.page("/console/issues").await.says("DEMO-1").links_to("/console/issues/DEMO-1");
        server.stopped().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_empty_console_says_what_to_do_next() {
    let server = Server::demo().await;
    server.page("/console/lanes").await.says("No lanes yet").says("throughline chat");
    server.page("/console/approvals").await.says("Nothing waits for you");
    server.page("/console/approvals?show=all").await.says("No approval yet");
    server.page("/console/effects").await.says("No effects yet").says("Approved effects go out");
    server.page("/console/effects?state=uncertain").await.says("No effect is uncertain");
    server.page("/console/issues").await.says("No issue in DEMO yet");
    server.page("/console/lanes?state=approval").await.says("No lane like that");
    server.page("/console/find?q=").await.says("What to look for?");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waits_is_shown_with_who_and_until_when() {
    let server = Server::demo().await;
    let asks = json!({"lane": {"conversation": "c2"}, "kind": "assistant.posted", "assistant":
        {"kind": "question", "task": "t_3", "text": "Weather for which city?", "expected": "location", "asked_of": "ana"}});
    let turn = server.turn("ask", &asks).await;
    let lane = turn["lane"].as_str().unwrap();
    let page = server.page(&format!("/console/lanes/{lane}")).await;
    page.says("slot request conversational: words answer it").says("“Weather for which city?”");
    page.says("Expects location").says("Asked of @ana").says("Until in 59 min");
    page.says("Focus “Weather for which city?” lane.recency for @ana");
    let list = server.page("/console/lanes").await;
    list.says("slot request");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_has_a_name_is_found_by_it() {
    let server = Server::demo().await;
    let told = story(&server).await;
    let (lane, turn) = (str(&told, "lane"), str(&told, "turn"));
    for (name, href) in [
        (lane, format!("/console/lanes/{lane}")),
        (turn, format!("/console/turns/{turn}")),
        ("DEMO-1", "/console/issues/DEMO-1".into()),
        ("c1", format!("/console/lanes/{lane}")),
        ("http:demo:/v1/events:bob", format!("/console/turns/{turn}")),
    ] {
        let reply = server.get(&format!("/console/find?q={}", name.replace(':', "%3A"))).send().await;
        assert_eq!(sent_to(&reply), href, "{name}");
    }
    server.page("/console/find?q=%3Cb%3Enothing").await.says("Nothing found for “<b>nothing”");
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_not_there_is_a_page_that_says_so() {
    let server = Server::demo().await;
    for path in [
        "/console/lanes/ln_x",
        "/console/lanes/ln_x/scenario",
        "/console/turns/tn_x",
        "/console/approvals/ap_x",
        "/console/effects/fx_x",
        "/console/issues/DEMO-9",
        "/console/issues?project=NONE",
        "/console/none",
    ] {
        let page = Page::of(&server.get(path).send().await);
        assert_eq!(page.status, 404, "{path}");
        page.says("TL-2404").says("What to do").says("throughline explain TL-2404").links_to("/console");
    }
    for path in [
        "/console/lanes?state=x",
        "/console/lanes?cursor=%21",
        "/console/turns?rung=x",
        "/console/turns?since=x",
        "/console/turns?cursor=%21",
        "/console/effects?state=x",
        "/console/approvals?show=x",
    ] {
        let page = Page::of(&server.get(path).send().await);
        assert_eq!(page.status, 400, "{path}");
        page.says("TL-2007");
    }
    // A turn of another lane is not found here.
    let told = story(&server).await;
    let other = server.say("other", "c9", "ana", "/maro help").await;
    let path = format!("/console/lanes/{}?turn={}", str(&told, "lane"), str(&other, "turn"));
    assert_eq!(Page::of(&server.get(&path).send().await).status, 404);
    server.stopped().await;
}

/// Text of users is escaped on every screen.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hostile_text_is_text() {
    const BAD: &str = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{7*7}}";
    const BAD_ID: &str = "\"'><script>alert(1)</script><svg/onload=alert(2)>";
    let server = Server::demo().await;
    let lane = json!({"conversation": BAD_ID, "thread": BAD_ID});
    let say = |who: &str, text: &str| json!({"lane": lane, "actor": {"id": who}, "kind": "message.posted", "text": text, "quote": BAD});
    let ask = format!("Create a task for {BAD}\nTitle: {BAD}\nProblem: {BAD}\nAcceptance criteria: {BAD}");
    let preview = server.turn("k1", &say(BAD_ID, &ask)).await;
    let card = card_of(&preview);
    let press = json!({"lane": lane, "actor": {"id": "bob"}, "kind": "card.pressed", "press": {"token": token(&card, "approve")}});
    let done = server.turn("k2", &press).await;
    assert_eq!(done["reason"], "press.applied");
    let strange = json!({"lane": lane, "actor": {"id": BAD_ID}, "kind": "card.pressed", "press": {"token": token(&card, "approve")}});
    server.turn("k3", &strange).await;
    let host = json!({"lane": lane, "kind": "assistant.posted", "assistant":
        {"kind": "question", "text": BAD, "expected": format!("selection:{BAD_ID}|b"), "asked_of": BAD_ID}});
    server.turn("k4", &host).await;
    let pause = [("paused", "true"), ("reason", BAD), ("key", "pause")];
    let paused = Operator::at(&server).await.form("/console/pause", &pause).await;
    assert_eq!(sent_to(&paused), "/console/effects");

    let (lane, approval) = (preview["lane"].as_str().unwrap(), card["id"].as_str().unwrap());
    let mut paths = vec![
        "/console".to_owned(),
        "/console/lanes".into(),
        "/console/turns".into(),
        "/console/approvals?show=all".into(),
        "/console/effects".into(),
        "/console/issues".into(),
        "/console/issues/DEMO-1".into(),
        format!("/console/lanes/{lane}"),
        format!("/console/approvals/{approval}"),
        "/console/find?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E".into(),
    ];
    let turns = server.page(&format!("/console/lanes/{lane}")).await.links("/console/turns/");
    assert!(turns.len() >= 4, "{turns:?}");
    paths.push(format!("/console/lanes/{lane}?turn={}", turns[0].rsplit('/').next().unwrap()));
    paths.extend(turns);
    paths.extend(server.page("/console/effects").await.links("/console/effects/"));
    for path in paths {
        let page = server.page(&path).await;
        for live in ["<script>alert", "<img src", "<svg/", "'><", "\"'&gt;<", "alert(2)&gt;49"] {
            assert!(!page.html.contains(live), "{path}: {live} in {}", page.html);
        }
        if !path.starts_with("/console/find") {
            page.says("<script>alert(1)</script>");
        }
    }
    server.stopped().await;
}

/// A viewer sees everything and is offered no act; acts sent anyway are refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_viewer_only_looks() {
    let folder = tempfile::tempdir().unwrap();
    let (viewer, sha256) = Token::mint("viewer", [1; 24]);
    let (maker, other) = Token::mint("maker", [2; 24]);
    let (narrow, third) = Token::mint("narrow", [3; 24]);
    let text = format!(
        "tenant = \"acme\"\n[[approvers]]\neffects = [\"tracker.*\"]\ntargets = [\"local:*\"]\nallow = [\"user:vic\"]\nself_approve = true\n\
         [[tokens]]\nid = \"viewer\"\nsha256 = \"{sha256}\"\ntenant = \"acme\"\nscopes = [\"lanes:read\", \"lanes:read_all\", \"approvals:read\", \"effects:read\"]\nprincipal = \"vic\"\n\
         [[tokens]]\nid = \"maker\"\nsha256 = \"{other}\"\ntenant = \"acme\"\nscopes = [\"events:write\", \"act_as\"]\nprincipal = \"ana\"\n\
         [[tokens]]\nid = \"narrow\"\nsha256 = \"{third}\"\ntenant = \"acme\"\nscopes = [\"lanes:read\"]\nprincipal = \"ned\"\n"
    );
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let turn = server
        .event("k1", &said("c1", "ana", TASK))
        .token(&maker)
        .header("Prefer", "wait=10")
        .send()
        .await
        .json();
    let (lane, id, card) = (str(&turn, "lane"), str(&turn, "turn"), card_of(&turn));
    let approval = str(&card, "id");
    // An effect that the commit delivered has no page.
    let checked = |effect: &&Value| effect["class"] == "tracker.check";
    let effect = turn["effects"].as_array().unwrap().iter().find(checked).unwrap()["id"].as_str().unwrap();

    for path in [
        "/console".to_owned(),
        "/console/turns".into(),
        "/console/lanes".into(),
        format!("/console/lanes/{lane}"),
        format!("/console/turns/{id}"),
        "/console/approvals".into(),
        "/console/approvals?show=all".into(),
        format!("/console/approvals/{approval}"),
        "/console/effects".into(),
        format!("/console/effects/{effect}"),
        "/console/issues".into(),
    ] {
        let page = Page::of(&server.get(&path).token(&viewer).send().await);
        assert_eq!(page.status, 200, "{path}");
        page.says("You are @vic in acme");
        assert!(!page.html.contains("method=\"post\""), "{path} offers something: {}", page.html);
    }
    for (path, fields) in [
        (format!("/console/approvals/{approval}"), vec![("version", "1"), ("decision", "approve")]),
        (format!("/console/effects/{effect}"), vec![("how", "cancel")]),
        (format!("/console/lanes/{lane}/messages"), vec![("text", "hello")]),
        (format!("/console/turns/{id}/replay"), vec![]),
        ("/console/pause".into(), vec![("paused", "true"), ("reason", "no")]),
    ] {
        let fields = [fields, vec![("key", "k")]].concat();
        let page = Page::of(&sent_from_here(form(&server, &path, &fields)).token(&viewer).send().await);
        assert_eq!(page.status, 403, "{path}");
        page.says("TL-2103");
    }
    let state = server.get(&format!("/v1/approvals/{approval}")).token(&viewer).send().await.json();
    assert_eq!(state["state"], "pending", "nothing came of it");

    // Sections without the right are not listed, and are refused.
    let page = Page::of(&server.get("/console").token(&narrow).send().await);
    assert_eq!(page.links("/console/effects"), Vec::<String>::new());
    for path in ["/console/approvals", "/console/effects", "/console/issues", "/console/issues/DEMO-1"] {
        let page = Page::of(&server.get(path).token(&narrow).send().await);
        assert_eq!(page.status, 403, "{path}");
    }
    let wrong = Page::of(&server.get("/console").token("tlk_viewer_0").send().await);
    assert_eq!(wrong.status, 401);
    wrong.says("TL-2102");
    assert_eq!(sent_to(&server.get("/console").send().await), "/sign-in?to=%2Fconsole");
    server.stopped().await;
}

/// Times are in UTC at the console, and say so wherever they are written out.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn moments_say_their_zone() {
    let server = Server::demo().await;
    let told = story(&server).await;
    let approval = told["approval"].as_str().unwrap();
    for path in [
        format!("/console/approvals/{approval}"),
        format!("/console/turns/{}", told["turn"].as_str().unwrap()),
        "/console".into(),
    ] {
        let text = server.page(&path).await.text();
        let clocks: Vec<_> = text.match_indices(':').filter_map(|(at, _)| clock_at(&text, at)).collect();
        for rest in clocks {
            assert!(rest.starts_with(" UTC"), "{path}: a time without a zone before {rest:?} in {text}");
        }
    }
    server.page(&format!("/console/approvals/{approval}")).await.says(" UTC");
    server.stopped().await;
}

/// Returns what follows a clock time (`10:32`, `10:32:05`) whose first colon is there.
fn clock_at(text: &str, colon: usize) -> Option<String> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let begins = colon >= 3 && digit(colon - 2) && digit(colon - 1) && bytes[colon - 3] == b' ';
    let ends = digit(colon + 1) && digit(colon + 2);
    let end = if bytes.get(colon + 3) == Some(&b':') { colon + 6 } else { colon + 3 };
    (begins && ends).then(|| text[end..].chars().take(20).collect())
}
