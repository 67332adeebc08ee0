//! The commands that a new user begins with: `init`, `open`, `man`.

use std::fs;

use crate::home::Home;
use crate::seeded::Seeded;
use crate::server::Server;

#[test]
fn a_configuration_is_written_once_and_served() {
    let home = Home::new();
    let wrote = home.run(&["init", "--no-input"]).ends(0);
    assert_eq!(wrote.out, "wrote throughline.toml\n");
    for next in
        ["throughline config check", "throughline serve", "throughline open --as ", "throughline chat"]
    {
        assert!(wrote.err.contains(next), "{}", wrote.session());
    }
    home.run(&["config", "check"]).ends(0);
    let text = fs::read_to_string(home.path().join("throughline.toml")).unwrap();
    let again = home.run(&["init", "--no-input"]).ends(6);
    assert!(again.err.contains("is there already"), "{}", again.session());
    assert_eq!(fs::read_to_string(home.path().join("throughline.toml")).unwrap(), text);
    home.run(&["init", "--config", "other.toml", "--json"]).ends(0);
    home.run(&["config", "check", "--config", "other.toml"]).ends(0);
    let nowhere = home.run(&["init", "--config", "nowhere/other.toml"]).ends(1);
    assert!(nowhere.err.contains("cannot write nowhere/other.toml"), "{}", nowhere.session());
}

#[test]
fn a_page_is_opened_in_the_browser_that_is_there_and_its_address_is_printed() {
    let served = Seeded::new().serve();
    let home = &served.seeded.home;
    let browser = home.file("browser", "#!/bin/sh\necho \"$1\" > opened.new && mv opened.new opened\n");
    fs::set_permissions(&browser, std::os::unix::fs::PermissionsExt::from_mode(0o700)).unwrap();
    let with = [("BROWSER", browser.to_str().unwrap()), ("PATH", "/usr/bin:/bin")];
    let opened = home.run_with(&["open", "console", "--json"], "", &with).ends(0).json();
    assert_eq!(opened["opened"], true);
    let url = opened["url"].as_str().unwrap();
    let seen = home.path().join("opened");
    // The browser is not waited for.
    while !seen.exists() {
        std::thread::yield_now();
    }
    assert_eq!(fs::read_to_string(seen).unwrap().trim(), url);
    let path = |arguments: &[&str]| {
        let ran = home.run(&[&["open"], arguments].concat()).ends(0);
        assert!(ran.err.contains("no browser was found here"), "{}", ran.session());
        ran.out.trim().split_once("//").unwrap().1.split_once('/').unwrap().1.to_owned()
    };
    assert_eq!(path(&[]), "");
    assert!(path(&["@latest"]).starts_with("console/turns/tn_"));
    let approval =
        home.run(&["approvals", "list", "--json"]).ends(0).json()[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(path(&[&approval[..approval.len() - 2]]), format!("console/approvals/{approval}"));
    assert!(path(&["--as", "ana"]).starts_with("sign-in?link="));
    home.run(&["open", "kitchen"]).ends(2);
    home.run(&["open", "tn_zzzz"]).ends(1);
    home.run(&["open", "--as", "nobody"]).ends(1);
}

#[test]
fn a_manual_page_for_every_command() {
    let home = Home::new();
    let page = home.run(&["man"]).ends(0).out;
    for part in [".TH throughline 1", "Exit codes", "throughline serve \\-\\-demo"] {
        assert!(page.contains(part), "{part}: {page}");
    }
    home.run(&["man", "--out", "pages"]).ends(0);
    for name in ["throughline", "throughline-why", "throughline-approvals-decide"] {
        let page = fs::read_to_string(home.path().join(format!("pages/{name}.1"))).unwrap();
        assert!(page.contains(&format!(".TH {name} 1")), "{page}");
    }
    home.run(&["man", "--out", "/dev/null/pages"]).ends(1);
}

#[test]
fn a_demo_opens_without_signing_in() {
    let home = Home::new();
    let server = Server::start(&home);
    let ran = home.run(&["open", "--no-input", "--server", &server.url]).ends(0);
    assert_eq!(ran.out.trim(), format!("{}/", server.url));
}
