//! Deliveries that were changed on the way, but signed: each is taken or refused as the rules say, none fails, and the
//! server goes on. `THROUGHLINE_DELIVERIES` is their number, `THROUGHLINE_SEED` where they begin.

use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use throughline_channels::slack::envelope::{Frame, read};
use throughline_engine::Timestamp;
use throughline_fakes::slack::{FakeSlack, Sort, sign};
use throughline_store::Clock as _;

use crate::world::{ANA, BOB, TEAM, World, until};

/// The deepest nesting that is read.
const DEEPEST: usize = 64;
/// The longest body that is read.
const LONGEST: usize = 1024 * 1024;

fn setting(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
}

/// Draws that follow from a seed (xorshift).
struct Draw(u64);

impl Draw {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % end.max(1)
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A delivery as Slack makes it.
type Sample = (Sort, Value);

/// One delivery of each kind, made by people at the fake: none of them is sent.
async fn samples(w: &World) -> Vec<Sample> {
    let (_, card) = w.drafted().await;
    w.slack.idle().await;
    let before = w.slack.deliveries().len();
    w.slack.holds();
    let ts = w.slack.says(TEAM, BOB, "the export fails since Monday & nobody knows why");
    w.slack.edits(TEAM, &ts, "the export fails since Tuesday");
    w.slack.message_shortcut(TEAM, ANA, &ts, "tl.make_ticket");
    w.slack.shares_file(TEAM, BOB, "see here", "plan.pdf");
    w.slack.bot_says(TEAM, "B0DEPLOY1", "deployed");
    w.slack.deletes(TEAM, &ts);
    w.slack.joins(TEAM, BOB);
    w.slack.opens_home(BOB, "messages");
    w.slack.starts_assistant(BOB);
    w.slack.deactivates(BOB, false);
    w.slack.presses(TEAM, BOB, &card.ts, "Approve");
    w.slack.presses(TEAM, BOB, &card.ts, "Edit");
    w.slack.commands(TEAM, ANA, "/maro", "status");
    w.slack.shortcut(ANA, "tl.unknown");
    let mut samples: Vec<Sample> =
        w.slack.deliveries().into_iter().skip(before).map(|one| (one.sort, one.payload)).collect();
    let values =
        json!({"field.title": {"field.title": {"type": "plain_text_input", "value": "Another title"}}});
    let place = json!({"t": "dUkK6gJL61egst2uZvqf2w", "c": TEAM, "h": "17.004"}).to_string();
    let form = json!({"type": "view_submission", "trigger_id": "1.2.f", "user": {"id": ANA}, "team": {"id": FakeSlack::TEAM},
        "view": {"id": "V1", "hash": "1.a", "private_metadata": place, "state": {"values": values}}});
    samples.push((Sort::Interaction, form));
    samples
}

/// Every place in a value, as the steps that lead there.
fn places(value: &Value, at: &[String], into: &mut Vec<Vec<String>>) {
    into.push(at.to_vec());
    let mut inside = |name: String, value: &Value| places(value, &[at, &[name]].concat(), into);
    match value {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| inside(name.clone(), value)),
        Value::Array(all) => all.iter().enumerate().for_each(|(n, value)| inside(n.to_string(), value)),
        _ => {}
    }
}

fn found<'a>(value: &'a mut Value, at: &[String]) -> Option<&'a mut Value> {
    at.iter().try_fold(value, |value, step| match value {
        Value::Object(fields) => fields.get_mut(step),
        Value::Array(all) => all.get_mut(step.parse::<usize>().ok()?),
        _ => None,
    })
}

fn nested(depth: usize) -> Value {
    (0..depth).fold(json!("deep"), |inner, n| if n % 2 == 0 { json!([inner]) } else { json!({"a": inner}) })
}

/// A value of another type, or a text that nobody expects.
fn odd(draw: &mut Draw) -> Value {
    let depth = draw.below(90);
    match draw.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(1.5e300),
        4 => json!(u64::MAX),
        5 => json!([]),
        6 => json!({}),
        7 => json!(""),
        8 => json!("x".repeat(draw.below(70_000))),
        9 => json!("\u{0}\u{202e}👩‍👩‍👧‍👦<@>&lt;<!channel>\r\n"),
        10 => json!("99999999999999999999.999999"),
        11 => json!("C0TEAM001"),
        12 => json!(FakeSlack::BOT_USER),
        _ => nested(depth),
    }
}

/// Changes a payload in one to three places.
fn changed(payload: &Value, draw: &mut Draw) -> Value {
    let mut payload = payload.clone();
    for _ in 0..=draw.below(3) {
        let mut all = Vec::new();
        places(&payload, &[], &mut all);
        let at = draw.one(&all).clone();
        let (kind, value) = (draw.below(3), odd(draw));
        match (at.split_last(), kind) {
            (Some((last, above)), 0) => {
                if let Some(fields) = found(&mut payload, above).and_then(Value::as_object_mut) {
                    fields.remove(last);
                }
            }
            (Some((_, above)), 1) => {
                if let Some(fields) = found(&mut payload, above).and_then(Value::as_object_mut) {
                    fields
                        .insert(draw.one(&["type", "channel", "user", "actions", "more"]).to_string(), value);
                }
            }
            _ => *found(&mut payload, &at).unwrap() = value,
        }
    }
    payload
}

/// Changes bytes: bits, an end that is missing, bytes that are no text.
fn damaged(mut bytes: Vec<u8>, draw: &mut Draw) -> Vec<u8> {
    match draw.below(4) {
        0 => bytes.truncate(draw.below(bytes.len())),
        1 => {
            let at = draw.below(bytes.len());
            bytes.splice(at..at, [0xff, 0xc0, 0x80]);
        }
        2 => bytes.reverse(),
        _ => {
            for _ in 0..=draw.below(8) {
                let at = draw.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << draw.below(8);
                }
            }
        }
    }
    bytes
}

/// The path, the content type and the body of a delivery.
fn request(sort: Sort, payload: &Value) -> (&'static str, &'static str, Vec<u8>) {
    const FORM: &str = "application/x-www-form-urlencoded";
    let mut form = form_urlencoded::Serializer::new(String::new());
    match sort {
        Sort::Event => ("/slack/events", "application/json", payload.to_string().into_bytes()),
        Sort::Interaction => {
            let body = form.append_pair("payload", &payload.to_string()).finish();
            ("/slack/interactions", FORM, body.into_bytes())
        }
        Sort::Command => {
            for (name, value) in payload.as_object().into_iter().flatten() {
                form.append_pair(name, value.as_str().unwrap_or_default());
            }
            ("/slack/commands", FORM, form.finish().into_bytes())
        }
    }
}

/// True if a text is an object of JSON that is not nested too deep.
fn is_object(text: &str) -> bool {
    fn depth(value: &Value) -> usize {
        let inside: Option<usize> = match value {
            Value::Array(all) => Some(all.iter().map(depth).max().unwrap_or_default()),
            Value::Object(fields) => Some(fields.values().map(depth).max().unwrap_or_default()),
            _ => None,
        };
        inside.map_or(0, |inside| inside + 1)
    }
    let read: Option<Value> = serde_json::from_str(text).ok();
    read.is_some_and(|value| value.is_object() && depth(&value) <= DEEPEST)
}

/// The answer that a signed body must get: 200, or a refusal.
fn taken(path: &str, body: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(body) else { return false };
    let payload = || form_urlencoded::parse(body).find(|(name, _)| name == "payload").map(|(_, text)| text);
    body.len() <= LONGEST
        && match path {
            "/slack/events" => is_object(text),
            "/slack/interactions" => payload().is_some_and(|text| is_object(&text)),
            _ => true,
        }
}

/// Posts every request over one connection after the other; returns the statuses.
fn post_all(url: &str, count: u64, seed: u64, samples: &[Sample]) -> [usize; 2] {
    let client =
        || ureq::Agent::new_with_config(ureq::Agent::config_builder().http_status_as_error(false).build());
    let mut agent = client();
    let mut draw = Draw::new(seed);
    let mut answers = [0; 2];
    for n in 0..count {
        let (sort, payload) = draw.one(samples).clone();
        let (path, kind, mut body) = request(sort, &changed(&payload, &mut draw));
        if draw.below(3) == 0 {
            body = damaged(body, &mut draw);
        }
        if draw.below(200) == 0 {
            body.extend(std::iter::repeat_n(b' ', LONGEST));
        }
        let seconds = (throughline_store::SystemClock::default().now().0 / Timestamp::SECOND).to_string();
        let mut signature = sign(FakeSlack::SIGNING_SECRET, &seconds, &body);
        let forged = draw.below(20) == 0;
        if forged {
            signature = signature.replace(['0', '1', '2', '3'], "4");
        }
        let post = agent.post(format!("{url}{path}")).header("content-type", kind);
        let post = post.header("x-slack-request-timestamp", &seconds).header("x-slack-signature", signature);
        let mut answer = match post.send(&body[..]) {
            Ok(answer) => answer,
            // The server refuses a body that is too long before it has read all of it.
            Err(_) if body.len() > LONGEST => {
                answers[0] += 1;
                agent = client();
                continue;
            }
            Err(error) => panic!("delivery {n} of {seed}: {error}"),
        };
        let (status, text) =
            (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap_or_default());
        let shown = || String::from_utf8_lossy(&body).chars().take(2_000).collect::<String>();
        if taken(path, &body) && !forged {
            assert_eq!(status, 200, "delivery {n} of {seed}: {text}\n{path} {}", shown());
        } else {
            assert!(
                (400..500).contains(&status),
                "delivery {n} of {seed}: {status} {text}\n{path} {}",
                shown()
            );
        }
        answers[usize::from(status == 200)] += 1;
        if body.len() > LONGEST {
            // The connection ends with such an answer, now or a moment later.
            agent = client();
        }
    }
    answers
}

/// Counts the panics of every thread from now on.
fn panics() -> &'static AtomicUsize {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        COUNT.fetch_add(1, Ordering::SeqCst);
        before(info);
    }));
    &COUNT
}

#[tokio::test(flavor = "multi_thread")]
async fn sl3_changed_deliveries_are_taken_or_refused_and_nothing_fails() {
    let (count, seed) = (setting("THROUGHLINE_DELIVERIES", 400), setting("THROUGHLINE_SEED", 1));
    let w = World::over_http().await;
    let samples = samples(&w).await;
    let panics = panics();
    let url = w.url("");
    let posting = tokio::task::spawn_blocking(move || post_all(&url, count, seed, &samples));
    let [refused, taken] = posting.await.expect("every answer is right");
    assert!(refused > 0 && taken > 0, "{taken} taken, {refused} refused");
    // Lanes and follow-ups take what was stored; then people go on as before.
    w.slack.releases(false);
    w.slack.idle().await;
    w.drafted().await;
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_envelopes_are_acknowledged_or_left_alone_and_the_socket_stays() {
    let (count, seed) = (setting("THROUGHLINE_DELIVERIES", 400), setting("THROUGHLINE_SEED", 1));
    let w = World::over_sockets().await;
    let samples = samples(&w).await;
    let panics = panics();
    let sockets = w.slack.sockets();
    let mut draw = Draw::new(seed);
    let mut expected = 0;
    for n in 0..count {
        let (sort, payload) = draw.one(&samples).clone();
        let kind = match sort {
            Sort::Event => "events_api",
            Sort::Interaction => "interactive",
            Sort::Command => "slash_commands",
        };
        let frame = json!({"envelope_id": format!("changed-{n}"), "type": kind, "payload": changed(&payload, &mut draw),
            "accepts_response_payload": draw.below(2) == 0});
        let frame = if draw.below(3) == 0 { changed(&frame, &mut draw) } else { frame };
        let mut text = frame.to_string();
        if draw.below(6) == 0 {
            text = String::from_utf8_lossy(&damaged(text.into_bytes(), &mut draw)).into_owned();
        }
        match read(&text) {
            Frame::Envelope { .. } => expected += 1,
            Frame::Disconnect { .. } => continue,
            Frame::Hello { .. } | Frame::Other => {}
        }
        w.slack.sends_raw(*draw.one(&sockets), &text);
        if n % 100 == 99 {
            acknowledged(&w, expected).await;
        }
    }
    acknowledged(&w, expected).await;
    assert_eq!(w.slack.sockets(), sockets, "no connection was given up");
    w.slack.releases(false);
    w.slack.idle().await;
    w.drafted().await;
    assert_eq!(panics.load(Ordering::SeqCst), 0);
}

/// Waits until so many envelopes are acknowledged. The fake did not send them, so it counts each as unknown.
async fn acknowledged(w: &World, expected: usize) {
    let unknown = |wrong: &String| wrong.starts_with("an acknowledgement of an unknown envelope");
    until(&format!("{expected} acknowledgements"), || {
        let count = w.slack.violations().iter().filter(|wrong| unknown(wrong)).count();
        assert!(count <= expected, "{count} acknowledgements of {expected} envelopes");
        (count == expected).then_some(())
    })
    .await;
}
