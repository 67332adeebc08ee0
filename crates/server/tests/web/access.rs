//! Access to lanes: the rules for every caller, act and relation, and the same over HTTP for tokens and browsers.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use throughline_engine::LaneKey;
use throughline_server::access::table::{ROLES, columns, tables};
use throughline_server::access::{Access, Act, Relation};
use throughline_server::auth::{Caller, Scope, Token, rights};

use crate::browser::*;
use crate::support::*;

/// `THROUGHLINE_UPDATE=1 cargo test -p throughline-server --test web access` rewrites the part of the page.
#[test]
fn the_page_shows_the_tables_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/configuration.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("<!-- access -->\n").expect("a mark");
    let (_, after) = rest.split_once("<!-- /access -->").expect("a mark after it");
    let made = format!("{before}<!-- access -->\n\n{}\n<!-- /access -->{after}", tables());
    if std::env::var_os("THROUGHLINE_UPDATE").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap();
    assert!(
        kept == made,
        "docs/configuration.md shows other access than the code: THROUGHLINE_UPDATE=1 renews it"
    );
}

fn token(scopes: Vec<Scope>) -> Caller {
    let [id, tenant, app, principal] = ["ci", "acme", "bot", "ana"].map(str::to_owned);
    Token { id, sha256: String::new(), tenant, app, scopes, principal }.caller()
}

/// Every combination of what the rules look at: the act's scope, the two that reach further, the kind of caller.
fn every_caller(act: Act) -> impl Iterator<Item = (Vec<Scope>, Caller)> {
    (0..16).map(move |bits| {
        let has = |bit: u8, scope| (bits >> bit & 1 == 1).then_some(scope);
        let scopes: Vec<Scope> = [has(0, act.scope()), has(1, Scope::LanesReadAll), has(2, Scope::ActAs)]
            .into_iter()
            .flatten()
            .collect();
        let person = bits >> 3 & 1 == 1;
        let caller =
            if person { Caller::person("acme", "bot", "ana", scopes.clone()) } else { token(scopes.clone()) };
        (scopes, caller)
    })
}

#[test]
fn nothing_reaches_further_than_it_says() {
    for act in Act::ALL {
        for (scopes, caller) in every_caller(act) {
            let access = |relation| caller.access(act, relation);
            let may = |relation| access(relation) == Access::Allowed;
            let case = format!("{act:?} {scopes:?}, person: {}", caller.is_person());
            assert!(!may(Relation::OtherTenant), "{case}");
            let lacks = !caller.may(act.scope());
            assert!(
                Relation::ALL.iter().all(|relation| (access(*relation) == Access::Forbidden) == lacks),
                "{case}"
            );
            let everybody = caller.may(Scope::LanesReadAll) || caller.may(Scope::ActAs);
            let ruled = matches!(act, Act::ReadApproval | Act::DecideApproval);
            let of_the_tenant = !ruled
                && !matches!(
                    act,
                    Act::ReadLane | Act::ReadContext | Act::StateFact | Act::Write | Act::Describe
                );
            let far = !lacks && (everybody || of_the_tenant);
            assert_eq!(may(Relation::Ruled), far || (!lacks && ruled), "{case}");
            assert_eq!(may(Relation::OtherApp), far && caller.is_person(), "{case}");
            assert_eq!(may(Relation::Private), !lacks && (everybody || of_the_tenant), "{case}");
            assert_eq!((may(Relation::Owner), may(Relation::TookPart)), (!lacks, !lacks), "{case}");
            let joins = matches!(act, Act::Write | Act::Describe) && !caller.is_person();
            for relation in [Relation::New, Relation::Shared] {
                assert_eq!(may(relation), !lacks && (everybody || of_the_tenant || joins), "{case}");
            }
            // More scopes never take anything away.
            for more in Scope::ALL {
                let wider: Vec<Scope> = scopes.iter().copied().chain([more]).collect();
                let wider = if caller.is_person() {
                    Caller::person("acme", "bot", "ana", wider)
                } else {
                    token(wider)
                };
                for relation in Relation::ALL {
                    assert!(
                        !may(relation) || wider.access(act, relation) == Access::Allowed,
                        "{case} {more:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn roles_give_what_they_say_and_nothing_of_hosts() {
    let person = |roles: &[&str]| {
        let roles: Vec<String> = roles.iter().map(|role| (*role).to_owned()).collect();
        Caller::person("acme", "bot", "ana", rights(&roles))
    };
    for (roles, writes, all) in [
        (&[][..], true, false),
        (&["pm"], true, false),
        (&["viewer"], false, false),
        (&["viewer", "member"], true, false),
        (&["approver"], true, false),
        (&["operator"], true, true),
        (&["auditor"], false, true),
        (&["admin"], true, true),
    ] {
        let caller = person(roles);
        assert!(caller.may(Scope::LanesRead) && caller.acts_only_as_self(), "{roles:?}");
        assert_eq!(caller.access(Act::Write, Relation::Owner) == Access::Allowed, writes, "{roles:?}");
        assert_eq!(caller.access(Act::ReadLane, Relation::Private) == Access::Allowed, all, "{roles:?}");
    }
    for role in ROLES {
        for act in [Act::SpeakAsAssistant, Act::ReportTask, Act::ReportEffect] {
            assert_eq!(person(&[role]).access(act, Relation::Owner), Access::Forbidden, "{role} {act:?}");
        }
    }
    assert!(!person(&["member"]).may(Scope::ApprovalsRead), "no role approves by itself");
    assert_eq!(columns().len(), ROLES.len() + 2);
}

/// Somebody who sends requests.
enum Sender<'s> {
    Program(String),
    Person { browser: Browser<'s>, csrf: String },
}

impl Sender<'_> {
    async fn send(&self, call: Call) -> Reply {
        match self {
            Self::Program(token) => call.token(token).send().await,
            Self::Person { browser, csrf } => browser.send(call.header("X-CSRF-Token", csrf)).await,
        }
    }
}

/// A lane with something in it that each act can be tried on.
struct Target {
    name: Value,
    lane: String,
    approval: String,
    effect: String,
}

impl Target {
    fn nothing(relation: Relation, person: &str, act: Act) -> Self {
        let conversation = format!("{}-{person}-{act:?}", relation.as_str());
        let lane = LaneKey::new("acme", "bot", "api", &conversation, "").id().0;
        let name = json!({ "channel": "api", "conversation": conversation });
        Self { name, lane, approval: "ap_none".into(), effect: "fx_none".into() }
    }

    /// Makes a lane that stands in this relation to a person.
    async fn make(server: &Server, roots: &[String; 3], relation: Relation, person: &str, act: Act) -> Self {
        let none = Self::nothing(relation, person, act);
        let other = "zoe".to_owned();
        let (root, who, channel, owner) = match relation {
            Relation::New => return none,
            Relation::Owner => (&roots[0], person, "web", Some(person)),
            Relation::Private => (&roots[0], "zoe", "web", Some(other.as_str())),
            Relation::TookPart => (&roots[0], person, "api", None),
            Relation::Shared => (&roots[0], "zoe", "api", None),
            Relation::Ruled => (&roots[0], "zoe", "api", None),
            Relation::OtherApp => (&roots[2], "zoe", "api", None),
            Relation::OtherTenant => (&roots[1], person, "api", None),
        };
        let conversation = none.name["conversation"].as_str().unwrap().replace(' ', "-");
        let conversation = owner.map_or(conversation.clone(), |owner| format!("{owner}:{conversation}"));
        let name = json!({ "channel": channel, "conversation": conversation });
        let said = json!({"lane": name, "actor": {"id": who}, "kind": "message.posted", "text": TASK});
        let turn = server.event(&conversation, &said).header("Prefer", "wait=10").token(root).send().await;
        assert_eq!(turn.status, 200, "{}", turn.text());
        let turn = turn.json();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let performed = |one: &&Value| one["delivery"] != "commit";
        let effect = turn["effects"].as_array().unwrap().iter().find(performed).unwrap();
        Self {
            name,
            lane: text(&turn["lane"]),
            approval: text(&card_of(&turn)["id"]),
            effect: text(&effect["id"]),
        }
    }

    /// Returns the request that does this to the lane.
    fn request(&self, server: &Server, act: Act) -> Call {
        let Self { name, lane, approval, effect } = self;
        let event = |body: Value| {
            let mut body = body;
            body["lane"] = name.clone();
            server.event(&format!("{act:?} {lane}").replace(' ', "-"), &body).header("Prefer", "wait=10")
        };
        let post = |path: String, body: Value| {
            server.post(&path).header("Idempotency-Key", &format!("{act:?}-{lane}")).json(&body)
        };
        match act {
            Act::ReadLane => server.get(&format!("/v1/lanes/{lane}")),
            Act::ReadContext => server.get(&format!("/v1/lanes/{lane}/context")),
            Act::StateFact => post(
                "/v1/facts".into(),
                json!({"lane": lane, "type": "constraint", "text": "no data leaves"}),
            ),
            Act::Write => event(json!({"kind": "message.posted", "text": "/maro help"})),
            Act::Describe => event(json!({"kind": "options.shown", "shown": {
                "scope": "widget", "scope_instance": "recent", "options": [{"id": "a", "label": "A"}]}})),
            Act::SpeakAsAssistant => {
                event(json!({"kind": "assistant.posted", "assistant": {"kind": "answer", "text": "Hm"}}))
            }
            Act::ReportTask => {
                event(json!({"kind": "task.reported", "report": {"task_id": "t", "status": "running"}}))
            }
            Act::ReadApproval => server.get(&format!("/v1/approvals/{approval}")),
            Act::DecideApproval => {
                post(format!("/v1/approvals/{approval}/decide"), json!({"version": 1, "decision": "approve"}))
            }
            Act::ReadEffect => server.get(&format!("/v1/effects/{effect}")),
            Act::ReportEffect => post(format!("/v1/effects/{effect}/result"), json!({"outcome": "applied"})),
            Act::ResolveEffect => {
                post(format!("/v1/effects/{effect}/resolve"), json!({"as": "adopt", "remote_key": "AUTH-1"}))
            }
        }
    }
}

/// Returns the answer of the rules as a request shows it: what is not there yet is not found, and no name leads to
/// another tenant.
fn expected(caller: &Caller, act: Act, relation: Relation) -> Access {
    let named = matches!(act, Act::Write | Act::Describe | Act::SpeakAsAssistant | Act::ReportTask);
    let elsewhere = matches!(relation, Relation::OtherTenant | Relation::OtherApp);
    let relation = if named && elsewhere { Relation::New } else { relation };
    let access = |act| match caller.access(act, relation) {
        Access::Allowed if relation == Relation::New && !named => Access::Hidden,
        access => access,
    };
    match (act, access(act)) {
        // Who shows lists may ask about the effects of a lane, and hears which of them are not of lists.
        (Act::ReportEffect, Access::Forbidden) if access(Act::Describe) != Access::Allowed => {
            access(Act::Describe)
        }
        (_, access) => access,
    }
}

fn shown(reply: &Reply) -> Access {
    match reply.status {
        404 => Access::Hidden,
        403 if reply.problem() == "TL-2103" => Access::Forbidden,
        401 | 500.. => panic!("{}", reply.text()),
        _ => Access::Allowed,
    }
}

/// Settings of an installation in which each role is a person, and each kind of token has a person of its own.
fn installation() -> (String, Vec<(String, Caller, String)>, [String; 3]) {
    let further = [Scope::LanesReadAll, Scope::ActAs];
    let plain: Vec<Scope> = Scope::ALL.into_iter().filter(|scope| !further.contains(scope)).collect();
    let with = |more: Scope| plain.iter().copied().chain([more]).collect::<Vec<_>>();
    let tokens = [
        ("default", vec![Scope::EventsWrite, Scope::LanesRead]),
        ("plain", plain.clone()),
        ("reader", with(Scope::LanesReadAll)),
        ("host", with(Scope::ActAs)),
        ("bare", vec![Scope::Audit]),
    ];
    let mut text = String::new();
    let mut add = |id: &str, (tenant, app): (&str, &str), scopes: &[Scope], byte: u8| {
        let (token, sha256) = Token::mint(id, [byte; 24]);
        let names: Vec<String> = scopes.iter().map(|scope| format!("{:?}", scope.as_str())).collect();
        text += &format!(
            "[[tokens]]\nid = \"{id}\"\nsha256 = \"{sha256}\"\ntenant = \"{tenant}\"\napp = \"{app}\"\nscopes = [{}]\nprincipal = \"{id}\"\n",
            names.join(", ")
        );
        token
    };
    let writes = [Scope::EventsWrite, Scope::ActAs];
    let roots = [
        add("acmes", ("acme", "bot"), &writes, 91),
        add("globexs", ("globex", "bot"), &writes, 92),
        add("others", ("acme", "other"), &writes, 93),
    ];
    let mut programs = Vec::new();
    for (byte, (id, scopes)) in (10..).zip(tokens) {
        let secret = add(id, ("acme", "bot"), &scopes, byte);
        let [name, tenant, app] = [id, "acme", "bot"].map(str::to_owned);
        let caller =
            Token { id: name.clone(), sha256: String::new(), tenant, app, scopes, principal: name }.caller();
        programs.push((id.to_owned(), caller, secret));
    }
    for role in ROLES {
        text += &format!("[[users]]\nid = \"{role}\"\nroles = [\"{role}\"]\n");
    }
    (text, programs, roots)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_route_asks_the_same_rules() {
    let (text, programs, roots) = installation();
    let office = Office::with(&text);
    let server = office.serve().await;
    let mut senders: Vec<(String, Caller, Sender<'_>)> =
        programs.into_iter().map(|(id, caller, secret)| (id, caller, Sender::Program(secret))).collect();
    for role in ROLES {
        let browser = office.signed_in(&server, role).await;
        let csrf = browser.visit("/").await.field("csrf");
        let caller = Caller::person("acme", "bot", role, rights(&[role.to_owned()]));
        senders.push((role.to_owned(), caller, Sender::Person { browser, csrf }));
    }
    let mut wrong = Vec::new();
    for (who, caller, sender) in &senders {
        for act in Act::ALL {
            // Who is named by a rule is tested by itself: nobody here is.
            for relation in Relation::ALL.into_iter().filter(|relation| *relation != Relation::Ruled) {
                let target = Target::make(&server, &roots, relation, who, act).await;
                let reply = sender.send(target.request(&server, act)).await;
                let (shown, expected) = (shown(&reply), expected(caller, act, relation));
                if shown != expected {
                    wrong.push(format!(
                        "{who} {act:?} {relation:?}: {shown:?}, not {expected:?}: {}",
                        reply.text()
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    server.stopped().await;
}

/// A list of lanes holds those in which somebody took part; a refused act is no part.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lanes_are_listed_for_those_who_took_part() {
    let (text, programs, roots) = installation();
    let office = Office::with(&text);
    let server = office.serve().await;
    let secret = |id: &str| &programs.iter().find(|(name, ..)| name == id).unwrap().2;
    let listed = async |id: &str| {
        let lanes = server.get("/v1/lanes").token(secret(id)).send().await.json();
        lanes["items"]
            .as_array()
            .unwrap()
            .iter()
            .map(|lane| lane["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    let here = Target::make(&server, &roots, Relation::Shared, "default", Act::Write).await;
    let there = Target::make(&server, &roots, Relation::Private, "default", Act::Write).await;
    assert_eq!(listed("default").await, Vec::<String>::new());
    // Somebody else's message is not theirs to change: refused, so they took no part.
    let edit =
        json!({"lane": here.name, "kind": "message.edited", "message_id": "m-1", "text": "Wipe the disk"});
    let refused =
        server.event("e-1", &edit).header("Prefer", "wait=10").token(secret("default")).send().await;
    assert!(refused.status < 500, "{}", refused.text());
    assert_eq!(listed("default").await, Vec::<String>::new());
    let said = json!({"lane": here.name, "kind": "message.posted", "text": "/maro help"});
    let said = server.event("s-1", &said).header("Prefer", "wait=10").token(secret("default")).send().await;
    assert_eq!(said.status, 200, "{}", said.text());
    assert_eq!(listed("default").await, std::slice::from_ref(&here.lane));
    let mut all = [here.lane, there.lane];
    all.sort();
    assert_eq!(listed("reader").await, all);
    server.stopped().await;
}

/// Senders of an event may read its turn by the key of the request, wherever it went.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delivery_is_found_by_its_own_key() {
    let (text, programs, roots) = installation();
    let office = Office::with(&text);
    let server = office.serve().await;
    let target = Target::make(&server, &roots, Relation::Shared, "default", Act::Write).await;
    let edit =
        json!({"lane": target.name, "kind": "message.edited", "message_id": "m-1", "text": "Wipe the disk"});
    let secret = |id: &str| &programs.iter().find(|(name, ..)| name == id).unwrap().2;
    let taken = server.event("mine", &edit).header("Prefer", "wait=10").token(secret("default")).send().await;
    let turn = taken.json()["turn"].as_str().unwrap().to_owned();
    let get = async |path: String, who: &str| server.get(&path).token(secret(who)).send().await;
    assert_eq!(get("/v1/turns/key:mine".into(), "default").await.status, 200);
    assert_eq!(get("/v1/turns/key:mine/why".into(), "default").await.status, 200);
    assert_eq!(get(format!("/v1/turns/{turn}"), "default").await.status, 404);
    assert_eq!(get("/v1/turns/key:mine".into(), "reader").await.status, 404, "the key is another's");
    assert_eq!(get(format!("/v1/turns/{turn}"), "reader").await.status, 200);
    server.stopped().await;
}

/// Approvers read what a rule lets them decide and what is of their own lanes, one by one and in lists; nothing else of
/// the tenant.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_approver_reads_what_a_rule_lets_them_decide() {
    let (text, programs, roots) = installation();
    let office = Office::with(&text);
    let server = office.serve().await;
    let target = Target::make(&server, &roots, Relation::Shared, "nobody", Act::ReadApproval).await;
    let elsewhere = Target::make(&server, &roots, Relation::OtherApp, "nobody", Act::ReadApproval).await;
    let own = Target::make(&server, &roots, Relation::TookPart, "approver", Act::ReadApproval).await;
    let of = |target: &Target| target.approval.clone();
    let listed = |reply: Reply| {
        let reply = reply.json();
        let id = |item: &Value| item["id"].as_str().unwrap().to_owned();
        let mut ids: Vec<String> = reply["items"].as_array().unwrap().iter().map(id).collect();
        ids.sort();
        ids
    };
    let sorted = |mut ids: Vec<String>| {
        ids.sort();
        ids
    };
    // The rule names ana; the other person has the role alone, and took part in one lane.
    let people = [("ana", vec![of(&target), of(&elsewhere), of(&own)]), ("approver", vec![of(&own)])];
    for (who, reads) in people {
        let browser = office.signed_in(&server, who).await;
        assert_eq!(listed(browser.get("/v1/approvals").await), sorted(reads.clone()), "{who}");
        for one in [&target, &elsewhere, &own] {
            let reply = browser.get(&format!("/v1/approvals/{}", one.approval)).await;
            assert_eq!(reply.status == 200, reads.contains(&one.approval), "{who} {}", reply.text());
            assert_eq!(reply.status == 404, !reads.contains(&one.approval), "{who} {}", reply.text());
        }
        let page = browser.get("/console/approvals?show=all").await.text();
        for one in [&target, &elsewhere, &own] {
            assert_eq!(page.contains(&one.approval), reads.contains(&one.approval), "{who}");
        }
        // A rule opens the approval, not the lane around it.
        assert_eq!(browser.get(&format!("/v1/lanes/{}", target.lane)).await.status, 404, "{who}");
        assert_eq!(browser.get(&format!("/v1/lanes/{}/messages", target.lane)).await.status, 404, "{who}");
    }
    let secret = |id: &str| &programs.iter().find(|(name, ..)| name == id).unwrap().2;
    for (token, reads) in [("plain", vec![]), ("reader", vec![of(&target), of(&own)])] {
        let reply = server.get("/v1/approvals").token(secret(token)).send().await;
        assert_eq!(listed(reply), sorted(reads), "{token}");
    }
    server.stopped().await;
}

/// Tokens see lanes, effects and approvals of their app, however far their scopes reach.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_token_sees_nothing_of_another_app() {
    let (text, programs, roots) = installation();
    let office = Office::with(&text);
    let server = office.serve().await;
    let here = Target::make(&server, &roots, Relation::Shared, "x", Act::ReadLane).await;
    let there = Target::make(&server, &roots, Relation::OtherApp, "x", Act::ReadLane).await;
    for id in ["reader", "host"] {
        let secret = &programs.iter().find(|(name, ..)| name == id).unwrap().2;
        let get = async |path: String| server.get(&path).token(secret).send().await;
        for list in ["/v1/lanes", "/v1/effects", "/v1/approvals?state=all"] {
            for path in
                [list.to_owned(), format!("{list}{}limit=1", if list.contains('?') { '&' } else { '?' })]
            {
                let text = get(path.clone()).await.text();
                let found = |target: &Target| {
                    text.contains(&target.lane)
                        || text.contains(&target.effect)
                        || text.contains(&target.approval)
                };
                assert!(found(&here) && !found(&there), "{id} {path}: {text}");
            }
        }
        for path in [
            format!("/v1/lanes/{}", there.lane),
            format!("/v1/lanes/{}/messages", there.lane),
            format!("/v1/lanes/{}/stream", there.lane),
            format!("/v1/effects/{}", there.effect),
            format!("/v1/effects?lane={}", there.lane),
            format!("/v1/approvals/{}", there.approval),
            format!("/console/lanes/{}", there.lane),
        ] {
            assert_eq!(get(path.clone()).await.status, 404, "{id} {path}");
        }
    }
    server.stopped().await;
}
