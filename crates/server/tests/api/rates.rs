//! Rates of peers and people: what comes too fast is told when it is taken, and leaves nothing behind.

use std::net::Ipv4Addr;

use tokio::io::AsyncWriteExt;

use crate::connections::connect_from;
use crate::support::*;

/// Requests a second in these tests; ten times as many may come at once.
const RATE: usize = 2;
const BURST: usize = 10 * RATE;

async fn server(setting: &str) -> Server {
    Server::start(demo().flag(setting, RATE.to_string(), "--rate")).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_person_has_a_rate_whatever_the_conversation() {
    let server = server("server.rate_per_person").await;
    let says = |who: &str, n: usize| server.event(&format!("{who}{n}"), &said(&format!("c{n}"), who, "hi"));
    let mut refused = None;
    for n in 0..3 * BURST {
        let reply = says("ana", n).send().await;
        if reply.status == 429 {
            refused = Some((n, reply));
            break;
        }
    }
    let (n, reply) = refused.expect("the rate is exceeded");
    assert!(n >= BURST, "{n}");
    assert_eq!((reply.problem().as_str(), reply.header("retry-after")), ("TL-2207", Some("1")));
    assert_eq!(says("bob", n).send().await.status / 100, 2, "others have a rate of their own");
    assert_eq!(server.get("/v1/lanes").send().await.status, 200);

    // Nothing was kept of it, so the same request is new later.
    eventually("it is taken", || async {
        let reply = says("ana", n).send().await;
        reply.status / 100 == 2 && reply.header("idempotency-replayed").is_none()
    })
    .await;
    server.stopped().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_address_has_a_rate_whoever_is_named() {
    let server = server("server.rate_per_peer").await;
    let mut refused = None;
    for n in 0..3 * BURST {
        let reply = server.event(&format!("k{n}"), &said("c1", &format!("user{n}"), "hi")).send().await;
        if reply.status == 429 {
            refused = Some(reply);
            break;
        }
    }
    let reply = refused.expect("the rate is exceeded");
    assert_eq!((reply.problem().as_str(), reply.header("retry-after")), ("TL-2207", Some("1")));
    for probe in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(server.get(probe).send().await.status, 200);
    }
    let mut other = connect_from(&server, Ipv4Addr::new(127, 0, 0, 2)).await;
    other.write_all(&server.get("/v1/lanes").wire()).await.unwrap();
    assert_eq!(Reply::read(&mut other).await.status, 200, "another address has a rate of its own");
    server.stopped().await;
}
