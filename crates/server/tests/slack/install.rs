//! Installation in further workspaces: bound to the browser that began, kept sealed, and gone when the app is removed.

use throughline_fakes::slack::Kind;

use crate::world::{World, ticket, until};

/// Another workspace, a person and a channel there.
const TEAM: &str = "T0ELSEWHERE";
const EVE: &str = "U0EVE0001";
const ROOM: &str = "C0ELSEWHE";
const BOT: &str = "U0BOTTHERE";

/// The answer to a request that follows no redirect.
struct Answer {
    status: u16,
    location: String,
    cookie: String,
    body: String,
}

async fn get(url: String, cookie: &str) -> Answer {
    let cookie = cookie.to_owned();
    tokio::task::spawn_blocking(move || {
        let config = ureq::Agent::config_builder().http_status_as_error(false).max_redirects(0).build();
        let request = ureq::Agent::new_with_config(config).get(&url).header("cookie", cookie);
        let mut answer = request.call().unwrap();
        let header = |name: &str| {
            answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        let (location, cookie) = (header("location"), header("set-cookie"));
        let body = answer.body_mut().read_to_string().unwrap_or_default();
        Answer { status: answer.status().as_u16(), location, cookie, body }
    })
    .await
    .unwrap()
}

/// Makes another workspace that has not installed the app.
fn elsewhere(w: &World) {
    w.slack.workspace(TEAM, "Elsewhere", BOT, "B0BOTTHER");
    w.slack.person_of(TEAM, EVE, "Eve");
    w.slack.channel_of(TEAM, ROOM, "room", Kind::Public, &[EVE]);
}

/// Begins an installation and lets a person of the other workspace agree; returns the address they come back to, at our
/// server, and the cookie of the browser.
async fn agreed(w: &World) -> (String, String) {
    let began = get(w.url("/slack/install"), "").await;
    assert_eq!(began.status, 303, "{}", began.body);
    assert!(began.cookie.contains("HttpOnly") && began.cookie.contains("SameSite=Lax"), "{}", began.cookie);
    let cookie = began.cookie.split(';').next().unwrap().to_owned();
    let back = get(format!("{}&team={TEAM}", began.location), "").await;
    let path =
        back.location.strip_prefix("https://bot.example.org").unwrap_or_else(|| panic!("{}", back.body));
    (w.url(path), cookie)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_workspace_installs_the_app_and_is_answered() {
    let mut w = World::installable("").await;
    elsewhere(&w);
    let (back, cookie) = agreed(&w).await;
    let done = get(back.clone(), &cookie).await;
    assert_eq!((done.status, done.body.contains("Installed in Elsewhere")), (200, true), "{}", done.body);
    let again = get(back, &cookie).await;
    assert_eq!(again.status, 409, "a code is used once: {}", again.body);
    let text = ticket("a CSV export").replace("<@U0MAROBOT>", &format!("<@{BOT}>"));
    let ts = w.slack.says(ROOM, EVE, &text);
    let card = w.card(ROOM, &ts, "Reject").await;
    assert!(card.block_text().contains("CSV export"), "{}", card.block_text());
    let lanes = w.store.lanes(TEAM, None, 10).await.unwrap();
    assert!(
        lanes.iter().any(|lane| lane.key.thread == ts),
        "the workspace is a tenant of its own: {lanes:?}"
    );
    let kept = w.store.documents("acme", "slack.workspaces", None, 10).await.unwrap();
    assert!(kept.len() == 1 && !kept[0].body.contains("xoxb"), "{kept:?}");
    w.slack.idle().await;
    w.restart().await;
    let ts = w.slack.says(ROOM, EVE, &text);
    w.card(ROOM, &ts, "Reject").await;
    w.drafted().await;
    for event in w.slack.uninstalls(EVE) {
        w.slack.settled(event).await;
    }
    let kept = w.store.documents("acme", "slack.workspaces", None, 10).await.unwrap();
    assert!(kept.iter().all(|one| one.body.is_empty()), "its token is still there: {kept:?}");
    w.drafted().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_is_finished_only_where_it_began() {
    let w = World::installable("").await;
    elsewhere(&w);
    let (back, cookie) = agreed(&w).await;
    for cookie in ["", "throughline_slack_install=guessed", "other=1"] {
        let refused = get(back.clone(), cookie).await;
        assert_eq!(refused.status, 403, "{cookie}: {}", refused.body);
    }
    let denied =
        get(w.url(&format!("/slack/install/done?error=access_denied&state={}", state(&cookie))), &cookie)
            .await;
    assert_eq!(denied.status, 409);
    assert!(denied.body.contains("TL-3306") && denied.body.contains("access_denied"), "{}", denied.body);
    assert_eq!(w.store.documents("acme", "slack.workspaces", None, 10).await.unwrap().len(), 0);
}

fn state(cookie: &str) -> &str {
    cookie.split_once('=').unwrap().1
}

#[tokio::test(flavor = "multi_thread")]
async fn only_listed_workspaces_install_it() {
    let w = World::installable("\"T0ANOTHER\"").await;
    elsewhere(&w);
    let (back, cookie) = agreed(&w).await;
    let refused = get(back, &cookie).await;
    assert_eq!(refused.status, 409);
    assert!(refused.body.contains(TEAM), "{}", refused.body);
    let other = World::over_http().await;
    assert_eq!(get(other.url("/slack/install"), "").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_ends_is_renewed_before_it_does() {
    let w = World::installable("").await;
    elsewhere(&w);
    w.slack.rotates_tokens();
    let (back, cookie) = agreed(&w).await;
    assert_eq!(get(back, &cookie).await.status, 200);
    let kept = w.store.documents("acme", "slack.workspaces", None, 10).await.unwrap();
    assert!(kept[0].body.contains("ends_at") && kept[0].body.contains("refresh"), "{kept:?}");
    let slack = w.slack.clone();
    until("the exchange", || slack.calls_of("oauth.v2.access").pop()).await;
}
