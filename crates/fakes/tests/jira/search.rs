//! Search.

use std::sync::atomic::Ordering;

use serde_json::json;

use super::{Site, story};

#[tokio::test]
async fn searches_with_a_lag() {
    let site = Site::start().await;
    site.jira.index_lag(2_000);
    for number in 0..3 {
        let fields = story(json!({"summary": format!("Pay by card {number}"), "labels": ["shop"]}));
        let property = json!({"key": "throughline.effect", "value": {"id": format!("fx_{number}")}});
        site.post("issue", json!({"fields": fields, "properties": [property]})).await;
    }
    let search = |jql: &str| json!({"jql": jql, "fields": ["summary"], "maxResults": 2});
    let of = r#"project = "SHOP" AND labels = "shop" ORDER BY created ASC"#;
    assert_eq!(site.post("search/jql", search(of)).await.1["issues"], json!([]));
    let mut now = search(of);
    now["reconcileIssues"] = json!([site.jira.issue("SHOP-2").unwrap().id.parse::<u64>().unwrap()]);
    assert_eq!(site.post("search/jql", now).await.1["issues"][0]["key"], "SHOP-2");
    site.time.fetch_add(2_000, Ordering::SeqCst);
    let (_, page) = site.post("search/jql", search(of)).await;
    assert_eq!((page["issues"][0]["key"].as_str(), page["isLast"].as_bool()), (Some("SHOP-1"), Some(false)));
    let mut next = search(of);
    next["nextPageToken"] = page["nextPageToken"].clone();
    let (_, page) = site.post("search/jql", next).await;
    assert_eq!((page["issues"][0]["key"].as_str(), page["isLast"].as_bool()), (Some("SHOP-3"), Some(true)));
    for (jql, keys) in [
        (r#"issue.property[throughline.effect].id = "fx_1""#, &["SHOP-2"][..]),
        (r#"project = SHOP AND text ~ "CARD 2""#, &["SHOP-3"]),
        ("key = SHOP-1", &["SHOP-1"]),
        ("key in (SHOP-1, SHOP-3) ORDER BY created DESC", &["SHOP-3", "SHOP-1"]),
        (r#"project = SHOP AND labels = "other""#, &[]),
    ] {
        let (status, body) = site.post("search/jql", search(jql)).await;
        let found: Vec<_> =
            body["issues"].as_array().unwrap().iter().map(|one| one["key"].as_str().unwrap()).collect();
        assert_eq!((status, &found[..]), (200, keys), "{jql}");
    }
    assert_eq!(
        site.get("search/jql?jql=key%20%3D%20SHOP-1").await.1["issues"][0],
        json!({"id": site.jira.issue("SHOP-1").unwrap().id})
    );
    for jql in [
        "",
        "ORDER BY created",
        "project = NONE",
        "colour = red",
        "key = SHOP-99",
        "project SHOP",
        "text ~ \"a",
    ] {
        assert_eq!(site.post("search/jql", search(jql)).await.0, 400, "{jql}");
    }
    assert_eq!(site.post("search", json!({"jql": "key = SHOP-1"})).await.0, 410);
    site.conforms();
}
