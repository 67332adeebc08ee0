//! Mail: who gets one about an approval and what it says, and what becomes of those that the mail server does not take.

use std::sync::Arc;

use serde_json::json;
use throughline_engine::Timestamp;
use throughline_server::Sources;
use throughline_server::auth::Token;
use throughline_store::{ManualClock, MemoryStore};

use crate::mail_server::{MailServer, Received, Said, takes};
use crate::support::*;

/// Everybody but Cem and Dora may decide what others ask for; Eve has no role that opens approvals, Dora no rule.
const PEOPLE: &str = r#"[
    { id = "ana", name = "Ana", roles = ["approver"], groups = ["deciders"], email = "ana@example.org" },
    { id = "mia", name = "Mia Müller", roles = ["approver"], groups = ["deciders"], email = "mia@example.org", language = "de", zone = "Europe/Berlin" },
    { id = "bob", roles = ["operator"], groups = ["deciders"], email = "bob@example.org" },
    { id = "cem", roles = ["approver"], groups = ["deciders"] },
    { id = "dora", roles = ["approver"], email = "dora@example.org" },
    { id = "eve", groups = ["deciders"], email = "eve@example.org" },
    { id = "fay", roles = ["approver"], groups = ["deciders"], email = "fay@example.org", barred = "deactivated" },
]"#;

const RULES: &str = r#"[{ effects = ["tracker.*"], targets = ["local:*"], allow = ["group:deciders", "user:gil"], self_approve = false }]"#;

fn settings(port: u16) -> Sources {
    [
        ("users", PEOPLE),
        ("approvers", RULES),
        ("server.public_url", "http://127.0.0.1:7070/"),
        ("mail.server", "127.0.0.1"),
        ("mail.port", &port.to_string()),
        ("mail.tls", "none"),
        ("mail.from", "Throughline <throughline@example.org>"),
        ("mail.allow_loopback", "true"),
    ]
    .into_iter()
    .fold(demo(), |sources, (path, value)| sources.flag(path, value, "--set"))
}

/// Server that sends to a mail server, with a clock that only the test moves.
struct World {
    server: Server,
    clock: Arc<ManualClock>,
    store: Arc<MemoryStore>,
    sources: Sources,
}

impl World {
    async fn start(mail: &MailServer) -> Self {
        let sources = settings(mail.port);
        let clock = Arc::new(ManualClock::at(Timestamp(1_768_471_200_000)));
        let store = Arc::new(MemoryStore::new(clock.clone()));
        let server = Server::over(sources.clone(), store.clone()).await;
        let world = Self { server, clock, store, sources };
        // Mail begins with what happens once it follows.
        eventually("it follows", || async {
            use throughline_store::Documents as _;
            world.store.document("demo", "mail", "progress").await.unwrap().is_some()
        })
        .await;
        world
    }

    /// Starts the server again over the same store.
    async fn again(self) -> Self {
        let Self { server, clock, store, sources } = self;
        server.stopped().await;
        let server = Server::over(sources.clone(), store.clone()).await;
        Self { server, clock, store, sources }
    }

    /// Asks for something in a conversation; returns the id of its approval.
    async fn asks(&self, conversation: &str) -> String {
        self.clock.advance(1);
        self.server.preview(conversation).await["id"].as_str().expect("an id").to_owned()
    }

    async fn decides(&self, approval: &str, who: &str) {
        self.clock.advance(1);
        let decide = json!({"version": 1, "decision": "reject", "actor": {"id": who}});
        let call = self.server.post(&format!("/v1/approvals/{approval}/decide"));
        let reply = call.header("Idempotency-Key", approval).json(&decide).send().await;
        assert_eq!(reply.status, 200, "{}", reply.text());
    }

    /// Waits until the page of an approval says this.
    async fn says(&self, approval: &str, text: &str) {
        eventually(&format!("the page of {approval} says {text}"), || async {
            let page = self.server.get(&format!("/console/approvals/{approval}"));
            page.send().await.text().contains(text)
        })
        .await;
    }

    /// Waits until the metrics say this.
    async fn counts(&self, line: &str) {
        eventually(&format!("the metrics say {line}"), || async {
            self.server.get("/metrics").send().await.text().lines().any(|one| one == line)
        })
        .await;
    }
}

fn addresses(mails: &[Received]) -> Vec<&str> {
    mails.iter().map(|mail| mail.rcpt.as_str()).collect()
}

/// Returns the ids of the approvals that mails link to.
fn links(mails: &[Received]) -> Vec<&str> {
    let link = |mail: &'_ Received| -> usize { mail.text.find("/console/approvals/").expect("a link") };
    mails.iter().map(|mail| mail.text[link(mail) + 19..].split_whitespace().next().expect("an id")).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whoever_may_decide_gets_one_mail_in_their_language() {
    let mail = MailServer::start().await;
    let world = World::start(&mail).await;
    let card = world.server.preview("c1").await;
    let approval = card["id"].as_str().unwrap().to_owned();
    let mails = mail.has(2).await;
    assert_eq!(addresses(&mails), ["bob@example.org", "mia@example.org"]);
    let [bob, mia] = [&mails[0], &mails[1]];
    let from = (Some("Throughline".to_owned()), "throughline@example.org".to_owned());
    for mail in [bob, mia] {
        assert_eq!((&mail.from, mail.generated.as_str()), (&from, "auto-generated"));
        assert!(mail.id.ends_with("@example.org") && mail.id.len() == 44, "{}", mail.id);
        let link = format!("http://127.0.0.1:7070/console/approvals/{approval}");
        assert!(mail.text.contains(&link) && mail.html.contains(&link.replace('/', "&#x2f;")), "{mail:#?}");
    }
    assert_ne!(bob.id, mia.id);
    assert_eq!(bob.to, (None, "bob@example.org".into()));
    assert_eq!(bob.subject, "Waiting for you: Write the manual");
    for said in [
        "Ana asks for something that you may decide.",
        card["title"].as_str().unwrap(),
        "- Write the manual",
        "Since 15 Jan 2026 10:00 UTC",
        "Until 29 Jan 2026 10:00 UTC",
    ] {
        assert!(bob.text.contains(said), "no {said:?} in {}", bob.text);
    }
    assert!(!bob.text.contains("Nobody knows how it works"), "the whole text is on the page: {}", bob.text);
    assert_eq!(mia.to, (Some("Mia Müller".into()), "mia@example.org".into()));
    assert_eq!(mia.subject, "Wartet auf dich: Write the manual");
    for said in ["Ana bittet um etwas", "Seit 15.1.2026, 11:00 Europe/Berlin", "Ansehen und entscheiden"] {
        assert!(mia.text.contains(said), "no {said:?} in {}", mia.text);
    }
    assert!(mia.html.contains("lang=\"de\"") && mia.html.contains("Ansehen und entscheiden"), "{}", mia.html);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_added_later_is_told_at_the_address_given_then() {
    let mail = MailServer::start().await;
    let world = World::start(&mail).await;
    let gil = json!({"name": "Gil", "roles": ["approver"], "email": "gil@example.org"});
    assert_eq!(world.server.put("/v1/users/gil").json(&gil).send().await.status, 200);
    world.asks("c1").await;
    let mails = mail.has(3).await;
    assert_eq!(addresses(&mails), ["bob@example.org", "gil@example.org", "mia@example.org"]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_is_told_twice() {
    let mail = MailServer::start().await;
    let world = World::start(&mail).await;
    let card = world.server.preview("c1").await;
    mail.has(2).await;
    world.clock.advance(1_000);
    let form = json!({"lane": {"conversation": "c1"}, "actor": {"id": "ana"}, "kind": "form.submitted",
        "form": {"token": token(&card, "edit"), "values": {"title": "Write the whole manual"}}});
    let revised = world.server.turn("edit", &form).await;
    assert_eq!(revised["decision"], "done", "{revised:#}");
    let world = world.again().await;
    // The thread is reminded; people are not.
    world.clock.advance(25 * Timestamp::HOUR);
    let second = world.asks("c2").await;
    let mails = mail.has(4).await;
    let first = card["id"].as_str().unwrap();
    assert_eq!(links(&mails), [first, first, &second, &second]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_people_wrote_is_text_in_a_mail() {
    let mail = MailServer::start().await;
    let world = World::start(&mail).await;
    let hostile = "Create a task for <b>x</b>\nTitle: <script>1</script> =?utf-8?q?x?= \u{202e}gnp\nProblem: p\nAcceptance criteria: a";
    world.server.say("k1", "c1", "ana", hostile).await;
    let told = &mail.has(1).await[0];
    assert!(told.subject.contains("<script>1</script>"), "{}", told.subject);
    assert!(!told.subject.contains('\n') && told.html.contains("&lt;script&gt;1"), "{}", told.html);
    assert!(!told.html.contains("<script>") && !told.text.contains("Bcc"), "{}", told.text);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_is_down_loses_nothing_and_holds_nothing_up() {
    let mut mail = MailServer::down().await;
    let world = World::start(&mail).await;
    let first = world.asks("c1").await;
    world.counts("throughline_mail_attempts_total{outcome=\"unreachable\"} 1").await;
    world.says(&first, "Mail to @bob waits for the mail server").await;
    // Restarted while it waits, and decided before anything could be sent.
    let world = world.again().await;
    let second = world.asks("c2").await;
    world.decides(&first, "bob").await;
    world.counts("throughline_mail_waiting{tenant=\"demo\"} 4").await;
    mail.comes_up().await;
    world.clock.advance(10 * Timestamp::MINUTE);
    let mails = mail.has(2).await;
    world.says(&first, "Mail to @mia was needed no more").await;
    world.says(&second, "Mail went to @bob").await;
    let third = world.asks("c3").await;
    assert_eq!(links(&mail.has(4).await), [&second, &second, &third, &third]);
    assert_eq!(addresses(&mails), ["bob@example.org", "mia@example.org"]);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_address_that_does_not_exist_is_told_and_left_alone() {
    let mail = MailServer::start().await;
    mail.answers(|said| match said {
        Said::To("bob@example.org") => Some("550 5.1.1 no such user"),
        said => takes(said),
    });
    let world = World::start(&mail).await;
    let first = world.asks("c1").await;
    assert_eq!(
        addresses(&mail.has(1).await),
        ["mia@example.org"],
        "the others are told over the same connection"
    );
    world.says(&first, "The mail server refused the mail to @bob</span> (<code>TL-3402</code>)").await;
    world.says(&first, "5.1.1 no such user").await;
    let world = world.again().await;
    world.clock.advance(48 * Timestamp::HOUR);
    let second = world.asks("c2").await;
    assert_eq!(links(&mail.has(2).await), [&first, &second]);
    world.says(&second, "The mail server refused the mail to @bob").await;
    assert_eq!(mail.begun("bob@example.org"), 2, "once for each approval");
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_is_put_off_comes_later() {
    let mail = MailServer::start().await;
    mail.answers(|said| match said {
        Said::Mail(mail) if mail.rcpt == "bob@example.org" => Some("451 4.7.1 greylisted"),
        said => takes(said),
    });
    let world = World::start(&mail).await;
    let first = world.asks("c1").await;
    let mails = mail.has(2).await;
    world.says(&first, "greylisted").await;
    mail.answers(takes);
    world.clock.advance(6_000);
    let again = mail.has(3).await[2].clone();
    assert_eq!((&again.id, again.rcpt.as_str()), (&mails[0].id, "bob@example.org"));
    world.says(&first, "Mail went to @bob").await;
    assert_eq!(mail.begun("mia@example.org"), 1);
    world.server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_that_is_put_off_again_and_again_is_given_up() {
    let mail = MailServer::start().await;
    mail.answers(|said| match said {
        Said::To("bob@example.org") => Some("450 4.2.1 try later"),
        said => takes(said),
    });
    let world = World::start(&mail).await;
    let first = world.asks("c1").await;
    for attempt in 1..=10 {
        eventually("it is tried", || async { mail.begun("bob@example.org") == attempt }).await;
        if attempt < 10 {
            world.counts(&format!("throughline_mail_attempts_total{{outcome=\"put_off\"}} {attempt}")).await;
            world.clock.advance(24 * Timestamp::HOUR);
        }
    }
    world.says(&first, "The mail server refused the mail to @bob").await;
    world.server.stopped().await;
}

/// The mail server has the mail and this process ended before that was noted: it comes again, under the same id, and then
/// no more.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_mail_whose_answer_nobody_heard_comes_again_under_its_id() {
    let mail = MailServer::start().await;
    mail.answers(|said| match said {
        Said::Mail(_) => None,
        said => takes(said),
    });
    let world = World::start(&mail).await;
    let first = world.asks("c1").await;
    let unheard = mail.has(1).await[0].clone();
    mail.answers(takes);
    let world = world.again().await;
    let mails = mail.has(3).await;
    // The rest of it may say more by now, such as that the checks have passed.
    assert_eq!((&mails[1].id, &mails[1].rcpt), (&unheard.id, &unheard.rcpt));
    assert_eq!(addresses(&mails), ["bob@example.org", "bob@example.org", "mia@example.org"]);
    let world = world.again().await;
    let second = world.asks("c2").await;
    assert_eq!(links(&mail.has(5).await), [&first, &first, &first, &second, &second]);
    world.server.stopped().await;
}

/// A server that does not take our sender says nothing of the people: all of it waits until that is set right.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sender_that_is_not_taken_costs_nobody_their_mail() {
    let mail = MailServer::start().await;
    mail.answers(|said| match said {
        Said::From("throughline@example.org") => Some("553 5.7.1 sender not owned by user"),
        said => takes(said),
    });
    let world = World::start(&mail).await;
    world.asks("c1").await;
    world.counts("throughline_mail_attempts_total{outcome=\"unreachable\"} 1").await;
    mail.answers(takes);
    world.clock.advance(6_000);
    assert_eq!(addresses(&mail.has(2).await), ["bob@example.org", "mia@example.org"]);
    world.server.stopped().await;
}

/// The link of a mail opens for whoever may decide, with the buttons for it; nobody else sees there is such an approval.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_link_opens_for_whoever_may_decide_and_for_nobody_else() {
    let mail = MailServer::start().await;
    let folder = tempfile::tempdir().unwrap();
    let mut text = format!(
        "tenant = \"acme\"\nusers = {PEOPLE}\napprovers = {RULES}\n[server]\npublic_url = \"http://127.0.0.1:7070\"\n\
         [mail]\nserver = \"127.0.0.1\"\nport = {}\ntls = \"none\"\nfrom = \"throughline@example.org\"\nallow_loopback = true\n",
        mail.port
    )
    .replace("    ", "")
    .replace(",\n]", "]")
    .replace("},\n{", "}, {")
    .replace("[\n", "[");
    let people = [
        ("ana", "\"events:write\", \"lanes:read\""),
        ("mia", "\"approvals:read\", \"approvals:decide\""),
        ("dora", "\"approvals:read\", \"approvals:decide\""),
    ];
    let [ana, mia, dora] = people.map(|(who, scopes)| {
        let (token, hash) = Token::mint(who, [who.as_bytes()[0]; 24]);
        text.push_str(&format!(
            "[[tokens]]\nid = \"{who}\"\nsha256 = \"{hash}\"\nscopes = [{scopes}]\nprincipal = \"{who}\"\n"
        ));
        token
    });
    let file = folder.path().join("throughline.toml");
    std::fs::write(&file, text).unwrap();
    let sources = Sources { file: Some(file), ..Sources::default() }
        .flag("server.listen", "127.0.0.1:0", "--listen")
        .flag("store.url", "memory:", "--store");
    let server = Server::start(sources).await;
    let asked =
        server.event("k1", &said("c1", "ana", TASK)).header("Prefer", "wait=10").token(&ana).send().await;
    assert_eq!(asked.status, 200, "{}", asked.text());
    let mails = mail.has(2).await;
    let page = format!("/console/approvals/{}", links(&mails)[0]);
    let shown = server.get(&page).token(&mia).send().await;
    assert!(shown.status == 200 && shown.text().contains("value=\"approve\""), "{}", shown.text());
    assert_eq!(server.get(&page).token(&dora).send().await.status, 404);
    let signed_out = server.get(&page).send().await;
    let to = page.replace('/', "%2F");
    assert_eq!(
        (signed_out.status, signed_out.header("location")),
        (303, Some(&*format!("/sign-in?to={to}")))
    );
    server.stopped().await;
}
