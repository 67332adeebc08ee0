//! B8: an event over HTTP until it is durable, while its turns run: by the HTTP API, and as Slack signs it. The limit is
//! B1's turn in the same run.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::b1_turn::{WARM, durable};
use super::b8_cost;
use crate::frame::{Goal, Scale, Section, Spread, Table, interleaved, number, ratios};
use crate::load::Kind;
use crate::load::messages::{GATE, REPLY};
use crate::server::Server;
use crate::server::load::{Answered, Awaited, By, CONNECTIONS, LANES, Load, most};
use crate::server::slack::Slack;

/// The longest that Slack waits for an acknowledgement here, in milliseconds; its own limit is 3,000.
const BOUND: f64 = 500.0;

/// The load by the HTTP API.
const LOAD: Load = Load { connections: CONNECTIONS, lanes: LANES, awaited: Awaited::Durable };

/// The result of one round.
enum Measured {
    /// The turn in this process.
    Limit { per_second: f64 },
    /// Through the server.
    Served(Served),
    /// Through a server whose model never answers.
    Unanswered(Answered),
}

struct Served {
    /// Answers a second.
    answered: f64,
    /// Messages a second whose turns were made, until none waits.
    turns: f64,
    /// Milliseconds.
    p50: f64,
    p99: f64,
    /// Replies that were posted until then, for each message.
    posted: f64,
}

enum Case {
    Limit,
    Api,
    Slack,
    SlackWithoutModel,
}

/// The cases through the server, with what stands in their rows and the goals of the answers, in milliseconds.
const SERVED: [(usize, &str, &[f64]); 2] = [(1, "HTTP API", &[25.0]), (2, "signed Slack", &[25.0, BOUND])];

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let (time, each) = scale.pick(
        (Duration::from_millis(200), 2),
        (Duration::from_secs(3), 40),
        (Duration::from_secs(10), 150),
    );
    let by = if scale == Scale::Smoke { By::Ourselves } else { By::best() };
    let mut cases = [Case::Limit, Case::Api, Case::Slack, Case::SlackWithoutModel];
    let results = interleaved("B8", scale.rounds(), &mut cases, |case| match case {
        Case::Limit => {
            let warm = if scale == Scale::Smoke { 2 } else { WARM };
            Ok(Measured::Limit { per_second: durable(Kind::Reply, 64, warm, each)?.seen.per_second })
        }
        Case::Api => api(scale, by, time).map(Measured::Served),
        Case::Slack => slack(scale, by, time).map(Measured::Served),
        Case::SlackWithoutModel => without_model(scale, by, time).map(Measured::Unanswered),
    })?;
    let mut section = report(scale, by, &results);
    b8_cost::add(&mut section, scale, by, time)?;
    Ok(section)
}

/// A new server under load by its API, until it has made every turn.
fn api(scale: Scale, by: By, time: Duration) -> anyhow::Result<Served> {
    let folder = tempfile::tempdir()?;
    let (server, _) = Server::start(scale, &folder.path().join("data"), 1)?;
    let load = |run: &str, time: Duration| by.load(&server, LOAD, run, time, folder.path());
    let served = loaded(&server, time, load)?;
    server.stop()?;
    Ok(served)
}

/// A new server under the same load by Slack, which posts its replies there meanwhile.
fn slack(scale: Scale, by: By, time: Duration) -> anyhow::Result<Served> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let mut slack = Slack::start(LANES)?;
    let (server, _) = Server::start_with(scale, &data, 1, &slack.configured(folder.path())?)?;
    let mut delivered = 0;
    let load = |_: &str, time: Duration| {
        let signed = slack.messages(most(time), REPLY);
        let answered = by.deliver(&server, &signed, time, folder.path())?;
        delivered += answered.count;
        Ok(answered)
    };
    let served = loaded(&server, time, load)?;
    let posted = slack.posted()? as f64 / delivered as f64;
    server.stop()?;
    Ok(Served { posted, ..served })
}

/// A new server under load by Slack with messages that no rule decides, while the model that it asks accepts and is silent.
fn without_model(scale: Scale, by: By, time: Duration) -> anyhow::Result<Answered> {
    let folder = tempfile::tempdir()?;
    let model = TcpListener::bind("127.0.0.1:0").context("cannot listen")?;
    let mut slack = Slack::start(LANES)?;
    let tables = format!(
        "{}\n[models.default]\nkind = \"openai-chat\"\nbase_url = \"http://{}/v1\"\nmodel = \"silent\"\nallow_loopback = true\n",
        slack.configured(folder.path())?,
        model.local_addr()?,
    );
    let (server, _) = Server::start_with(scale, &folder.path().join("data"), 1, &tables)?;
    let answered = by.deliver(&server, &slack.messages(most(time), GATE), time, folder.path())?;
    model.set_nonblocking(true)?;
    model.accept().context("no message asked the model")?;
    // Its messages wait for their answers: there is nothing to settle.
    drop(server);
    Ok(answered)
}

/// Loads a server for a while and then for that time.
fn loaded(
    server: &Server,
    time: Duration,
    mut load: impl FnMut(&str, Duration) -> anyhow::Result<Answered>,
) -> anyhow::Result<Served> {
    let warm = load("warm", time / 4)?;
    let before = server.settled(warm.count)?;
    let began = Instant::now();
    let answered = load("run", time)?;
    server.settled(before + answered.count)?;
    let seconds = began.elapsed().as_secs_f64();
    let count = answered.count as f64;
    let (p50, p99) = (answered.p50, answered.p99);
    Ok(Served { answered: count / answered.seconds, turns: count / seconds, p50, p99, posted: 1.0 })
}

fn report(scale: Scale, by: By, results: &[Vec<Measured>]) -> Section {
    let limit: Vec<f64> = results[0]
        .iter()
        .filter_map(|m| if let Measured::Limit { per_second } = m { Some(*per_second) } else { None })
        .collect();
    let of = |case: usize, get: fn(&Served) -> f64| -> Vec<f64> {
        let served =
            results[case].iter().filter_map(|m| if let Measured::Served(m) = m { Some(m) } else { None });
        served.map(get).collect()
    };
    let unanswered = |get: fn(&Answered) -> f64| -> Vec<f64> {
        let seen =
            results[3].iter().filter_map(|m| if let Measured::Unanswered(m) = m { Some(m) } else { None });
        seen.map(get).collect()
    };
    let spread = |values: &[f64]| values.iter().copied().collect::<Spread>();
    let mut section = Section::new("B8", "webhook, over HTTP");
    section.say(format!(
        "To `throughline serve` in a process of its own: `POST /v1/events` with a bearer token, 202 once durable; and \
         `POST /slack/events`, direct messages signed over their raw bytes beforehand, 200 once durable, with replies that are \
         posted to a Slack in the process of this program. {CONNECTIONS} connections kept alive, {} conversations, load by {}; {} \
         rounds interleaved with the limit, B1's reply delivered by the commit, in process. A reply to Slack takes a request and a \
         turn more, of at most one a second in a conversation: {:.2} for each message were posted when no event waited any more. \
         With a silent model, each message would be asked about, and the model accepts the connection and never answers.",
        number(LANES as f64, 0),
        by.name(),
        scale.rounds(),
        spread(&of(2, |m| m.posted)).median(),
    ));
    let mut table = Table::new(&["", "a second", "over B1", "goal"]);
    let (over, goal) = (String::new(), String::new());
    table.row(["B1's turn, in process".into(), format!("{:.0}", spread(&limit)), over, goal]);
    for (case, name, _) in SERVED {
        let (answered, turns) = (of(case, |m| m.answered), of(case, |m| m.turns));
        let of_turns = ratios(&turns, &limit);
        table.row([
            format!("{name}: answers, while turns run"),
            format!("{:.0}", spread(&answered)),
            format!("{:.2}", ratios(&answered, &limit)),
            String::new(),
        ]);
        table.row([
            format!("{name}: messages, from the first request until none waits"),
            format!("{:.0}", spread(&turns)),
            format!("{of_turns:.2}"),
            Goal::AtLeast(0.8).judge(of_turns.median(), 1, ""),
        ]);
    }
    section.table(&table);
    let mut table = Table::new(&["answer, ms", "p50", "p99", "goal"]);
    let mut row = |name: &str, p50: Vec<f64>, p99: Vec<f64>, most: &[f64]| {
        let (p50, p99) = (spread(&p50), spread(&p99));
        let goals: Vec<String> =
            most.iter().map(|most| Goal::AtMost(*most).judge(p99.median(), 0, " ms")).collect();
        table.row([name.into(), format!("{p50:.1}"), format!("{p99:.1}"), goals.join(" · ")]);
    };
    for (case, name, most) in SERVED {
        row(name, of(case, |m| m.p50), of(case, |m| m.p99), most);
    }
    row("signed Slack, a silent model", unanswered(|m| m.p50), unanswered(|m| m.p99), &[BOUND]);
    section.table(&table);
    section
}
