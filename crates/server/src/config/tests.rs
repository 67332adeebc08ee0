//! Tests of the configuration: precedence, errors with their positions, warnings.

use std::fs;

use tempfile::tempdir;
use throughline_engine::data::ticket::{ItemType, Part};
use throughline_trackers::local::{FieldKind, FieldRule};

use super::*;

fn file(text: &str) -> (tempfile::TempDir, Sources) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("throughline.toml");
    fs::write(&path, text).unwrap();
    (folder, Sources { file: Some(path), ..Sources::default() })
}

fn wrong(text: &str) -> ConfigErrors {
    let (_folder, sources) = file(text);
    Config::load(&sources).unwrap_err()
}

#[test]
fn a_provider_of_sign_ins_is_not_half_configured() {
    let wrong = wrong("[openid]\nissuer = \"https://login.example.org\"\n");
    assert_eq!(wrong.0[0].code.id(), "TL-2112", "{wrong}");
    assert!(wrong.to_string().contains("openid.client_id"), "{wrong}");
}

#[test]
fn nothing_said_is_loopback_and_nobody_may_anything() {
    let config = Config::load(&Sources::default()).unwrap();
    assert_eq!(config.server.listen.to_string(), "127.0.0.1:7070");
    assert_eq!(config.store, StoreUrl::Sqlite("throughline.db".into()));
    assert_eq!(config.key_file(), Some("throughline.key".into()));
    assert_eq!(config.policy, Policy::default());
    assert_eq!(config.tracker, LocalConfig { projects: config.tracker.projects.clone() });
    assert_eq!(config.tracker.projects["DEMO"].types.len(), 4);
    assert!(!config.server.demo && config.tokens.is_empty());
    let warnings = config.warnings().join("\n");
    assert!(warnings.contains("no tokens") && warnings.contains("TL-4103"), "{warnings}");
}

#[test]
fn the_demo_has_three_approvers_by_an_explicit_rule() {
    let config = Config::demo(Some("data".into())).unwrap();
    assert!(config.server.demo && config.server.listen.ip().is_loopback());
    assert_eq!((config.tenant.as_str(), config.users.configured().len()), ("demo", 3));
    assert_eq!(config.store, StoreUrl::Sqlite("data/throughline.db".into()));
    let rule = &config.policy.approvers[0];
    assert_eq!((rule.allow.as_slice(), rule.self_approve), (["role:approver".to_owned()].as_slice(), true));
    assert!(config.warnings().is_empty(), "{:?}", config.warnings());
}

#[test]
fn a_demo_that_others_could_reach_does_not_start() {
    for listen in ["0.0.0.0:7070", "[::]:7070", "192.168.1.2:80"] {
        let sources = Sources { demo: true, ..Sources::default() }.flag("server.listen", listen, "--listen");
        let errors = Config::load(&sources).unwrap_err();
        assert_eq!(errors.code().id(), "TL-1005");
        assert!(errors.to_string().starts_with("flag --listen: "), "{errors}");
    }
    for listen in ["127.0.0.1:0", "[::1]:7070", "localhost:1"] {
        let sources = Sources { demo: true, ..Sources::default() }.flag("server.listen", listen, "--listen");
        assert!(Config::load(&sources).unwrap().server.listen.ip().is_loopback());
    }
}

/// Every setting by which somebody elsewhere could come to use a demo, or rely on a protection that it has not.
#[test]
fn a_demo_has_no_tokens_and_no_names_of_others() {
    let token = format!("[[tokens]]\nid = \"ci\"\nsha256 = \"{}\"\nprincipal = \"ana\"\n", "0".repeat(64));
    let with = |text: &str| {
        let (folder, sources) = file(text);
        let loaded = Config::load(&Sources { demo: true, ..sources });
        drop(folder);
        loaded
    };
    let mut refused = vec![token.clone()];
    for host in [
        "bot.example.org",
        "https://bot.example.org/x",
        "127.0.0.1.example.org",
        "192.168.1.2:7070",
        "[::]",
        "localhost.example.org",
    ] {
        refused.push(format!("server.public_url = {host:?}\n"));
        refused.push(format!("server.allowed_hosts = [\"localhost\", {host:?}]\n"));
    }
    refused.push("web.frame_ancestors = [\"https://app.example.org\"]\n".into());
    for text in refused {
        let errors = with(&text).expect_err(&text);
        assert_eq!((errors.code().id(), errors.0.len()), ("TL-1005".into(), 1), "{text}: {errors}");
        let asked = text.replace("server.demo", "");
        let (_folder, sources) = file(&asked);
        assert!(Config::load(&sources).is_ok(), "without the demo it is right: {text}");
        // The demo can be asked for by the file itself, too.
        assert!(with(&format!("server.demo = true\n{text}")).is_err(), "{text}");
    }
    for host in [
        "localhost",
        "http://localhost:7070/",
        "127.0.0.1:8080",
        "http://[::1]:7070",
        "app.localhost",
        "127.8.9.1",
    ] {
        let text = format!("server.public_url = {host:?}\nserver.allowed_hosts = [{host:?}]\n");
        assert!(with(&text).is_ok(), "{text}");
    }
}

#[test]
fn somebody_barred_is_out_unless_as_a_guest() {
    let (_folder, sources) = file(
        "[[users]]\nid = \"ana\"\n[[users]]\nid = \"gus\"\nbarred = \"guest\"\n[[users]]\nid = \"dora\"\nbarred = \"deactivated\"\n[[users]]\nid = \"eve\"\nbarred = \"left\"\n",
    );
    let config = Config::load(&sources).unwrap();
    let active = |id: &str| config.active_user(&config.tenant, id).is_some();
    assert_eq!(["ana", "gus", "dora", "eve", "nobody"].map(active), [true, true, false, false, false]);
}

#[test]
fn flags_beat_the_environment_and_the_environment_beats_files() {
    let folder = tempdir().unwrap();
    let (system, local) = (folder.path().join("system.toml"), folder.path().join("local.toml"));
    fs::write(&system, "tenant = \"system\"\napp = \"system\"\n[policy.window]\nmessages = 12").unwrap();
    fs::write(&local, "tenant = \"local\"\nserver.listen = \"127.0.0.1:1\"\n").unwrap();
    let mut sources =
        Sources { looked_for: vec![system, local, "missing.toml".into()], ..Sources::default() };
    sources.environment = vec![
        ("THROUGHLINE_SERVER__LISTEN".into(), "127.0.0.1:2".into()),
        ("THROUGHLINE_POLICY__BUSY".into(), "collect".into()),
        ("THROUGHLINE_POLICY__INTAKE__QUEUE".into(), "7".into()),
        ("THROUGHLINE_API__DELIVERY_HOST".into(), "reply, tracker.create".into()),
        ("THROUGHLINE_PROJECTS__AUTH__REQUIRED".into(), "[\"title\"]".into()),
        ("THROUGHLINE_FAILPOINT".into(), "s3.acked:1".into()),
        ("THROUGHLINE_COMMIT".into(), "0123456789ab".into()),
        ("PATH".into(), "/bin".into()),
    ];
    let config = Config::load(&sources.flag("server.listen", "127.0.0.1:3", "--listen")).unwrap();
    assert_eq!(config.server.listen.port(), 3);
    assert_eq!((config.tenant.as_str(), config.app.as_str()), ("local", "system"));
    assert_eq!((config.policy.window.messages, config.policy.intake.queue), (12, 7));
    assert_eq!(config.delivery_host, [EffectClass::Reply, EffectClass::TrackerCreate]);
    assert_eq!(config.tracker.projects["AUTH"].required, [Part::Title]);
    assert!(config.tracker.projects.contains_key("DEMO"), "tables are merged");

    let origin = |path: &str| {
        let found = config.settings().iter().find(|setting| setting.path == path);
        found.map(|setting| format!("{} from {}", setting.value, setting.origin)).unwrap_or_default()
    };
    assert_eq!(origin("server.listen"), "\"127.0.0.1:3\" from flag --listen");
    assert_eq!(origin("policy.busy"), "\"collect\" from environment THROUGHLINE_POLICY__BUSY");
    assert!(origin("tenant").ends_with("local.toml:1:1"), "{}", origin("tenant"));
    assert!(origin("policy.window.messages").ends_with("system.toml:4:1"));
    assert_eq!(origin("server.demo"), "false from default");
}

#[test]
fn an_unknown_key_has_its_line_its_column_and_a_suggestion() {
    let errors = wrong(
        "tenant = \"a\"\n\n[server]\n  lisen = \"127.0.0.1:1\"\n[sever]\n[policy.expiry]\nslot_s = 1\n",
    );
    assert_eq!(errors.0.len(), 3, "{errors}");
    assert_eq!(errors.code().id(), "TL-1002");
    let text = errors.to_string();
    assert!(text.contains("throughline.toml:4:3: there is no setting `server.lisen`"), "{text}");
    assert!(text.contains("did you mean `server.listen`?"), "{text}");
    assert!(text.contains("throughline.toml:5:2: there is no setting `sever`"), "{text}");
    assert!(text.contains("did you mean `policy.expiry.slot_ms`?"), "{text}");

    let environment = vec![("THROUGHLINE_SERVER__LISTENN".into(), "x".into())];
    let sources = Sources { environment, ..Sources::default() };
    let text = Config::load(&sources).unwrap_err().to_string();
    assert!(
        text.contains("environment THROUGHLINE_SERVER__LISTENN") && text.contains("`server.listen`"),
        "{text}"
    );
}

#[test]
fn a_wrong_kind_and_broken_toml_have_their_place_too() {
    for (text, code, place, says) in [
        ("[server]\nlisten = 7070", 1003, "2:1", "text in quotes"),
        ("[server]\nlisten = \"nowhere\"", 1003, "2:1", "127.0.0.1:7070"),
        ("[policy]\nbusy = \"drop\"", 1003, "2:1", "queue, collect"),
        ("[policy.intake]\nqueue = -1", 1003, "2:1", "negative"),
        ("[[users]]\nid = \"a\"\nrole = [\"x\"]", 1002, "3:1", "users.0.roles"),
        ("[[tokens]]\nid = \"a\"\nscopes = [\"event:write\"]", 1003, "3:11", "events:write"),
        ("tenant = \"a", 1001, "1:", "not valid TOML"),
        ("tenant = \"a\"\ntenant = \"b\"", 1001, "2:", "duplicate"),
        ("store.url = \"mysql://x\"", 1103, "1:7", "sqlite:PATH"),
        ("models.default = { kind = \"x\" }", 1003, "1:", "openai-chat"),
        ("models.default = { kind = \"anthropic\" }", 5101, "1:", "no `model`"),
        ("models.draught = { kind = \"off\" }", 1002, "1:", "models.draft"),
    ] {
        let errors = wrong(text);
        let told = errors.to_string();
        assert_eq!(errors.code().number, code, "{told}");
        assert!(told.contains(&format!("throughline.toml:{place}")) && told.contains(says), "{text}: {told}");
    }
}

#[test]
fn settings_that_do_not_fit_together_are_told() {
    for (text, code, says) in [
        ("[policy.project]\nproject = \"NOPE\"", 1004, "NOPE"),
        ("[policy.project]\ntracker = \"jira.main\"", 1004, "jira.main"),
        ("[jira.main]\nemail = \"a@b\"", 5201, "`base_url`"),
        ("[jira.main]\nbase_url = \"https://a\"", 5201, "`email`"),
        (
            "[jira.main]\nbase_url = \"https://a\"\nedition = \"data_center\"",
            5201,
            "`jira.main` needs `token_file`",
        ),
        (
            "[jira.main]\nbase_url = \"https://a\"\nedition = \"data_center\"\ntoken_file = \"f\"\nemail = \"a@b\"",
            5201,
            "`jira.main` has `email`, which is for Jira Cloud",
        ),
        ("[jira.main]\nbase_url = \"https://a\"\nclient_id = \"c\"", 5201, "needs both `client_id`"),
        (
            "[jira.main]\nbase_url = \"https://a\"\nclient_secret_file = \"f\"\ntoken_file = \"f\"",
            5201,
            "has both `token_file`",
        ),
        (
            "[jira.main]\nbase_url = \"https://a\"\nedition = \"data_center\"\nclient_id = \"c\"\nclient_secret_file = \"f\"",
            5201,
            "personal access token",
        ),
        (
            "[jira.main]\nbase_url = \"https://a\"\nclient_id = \"c\"\nclient_secret_file = \"f\"",
            1004,
            "`server.public_url`, which is not set",
        ),
        (
            "[jira.main]\nbase_url = \"https://a\"\nemail = \"a@b\"\ntoken_file = \"f\"\nbulk = true\nmarker = false",
            5201,
            "cannot have `bulk` without `marker`",
        ),
        ("[github.main]", 5201, "`token_file`"),
        ("[linear.main]", 5201, "`token_file`"),
        ("[redmine.main]\ntoken_file = \"f\"", 5201, "`base_url`"),
        ("[redmine.main]\nbase_url = \"https://a\"", 5201, "`token_file`"),
        ("[projects.A]\ntracker = \"redmine.x\"\nteam = \"A\"", 1004, "no setting of projects in redmine.x"),
        ("[projects.A]\ntracker = \"jira.x\"", 1004, "local"),
        ("[projects.A]\nrepository = \"a/b\"", 1004, "no setting of projects in local"),
        (
            "[projects.A]\ntracker = \"linear.x\"\nrepository = \"a/b\"",
            1004,
            "no setting of projects in linear.x",
        ),
        ("[[destinations]]\nproject = \"NOPE\"", 1004, "NOPE"),
        ("[policy.facts]\ntrusted_authors = [\"ana\"]", 1003, "write user:ana"),
        ("[policy.facts]\ntrusted_authors = [\"group: \"]", 1003, "which nobody is"),
        ("api.delivery_host = [\"model.ask\"]", 1003, "model.ask"),
        ("api.delivery_host = [\"option.execute\"]", 1003, "option.execute"),
        ("[[users]]\nid = \"a\"\n[[users]]\nid = \"a\"", 1004, "twice"),
        ("[[tokens]]\nid = \"a\"\nsha256 = \"00\"\nprincipal = \"ana\"", 1003, "64 hex digits"),
        ("[[tokens]]\nid = \"A_b\"\nsha256 = \"00\"\nprincipal = \"ana\"", 1003, "A_b"),
        ("tenant = \"\"", 1003, "tenant"),
        ("zone = \"Europe/Berlni\"", 1003, "Europe/Berlni"),
        ("[[users]]\nid = \"a\"\nzone = \"CEST+1\"", 1003, "like Europe/Berlin"),
        ("[[users]]\nid = \"a\"\nlanguage = \"Deutsch!\"", 1003, "de-AT"),
    ] {
        let errors = wrong(text);
        assert_eq!(errors.code().number, code, "{errors}");
        assert!(errors.to_string().contains(says), "{errors}");
    }
    let missing = Sources { file: Some("no/such.toml".into()), ..Sources::default() };
    assert_eq!(Config::load(&missing).unwrap_err().code().number, 1006);
}

#[test]
fn a_token_is_bound_and_its_hash_is_not_shown() {
    let (_, hash) = Token::mint("ci", [1; 24]);
    let (_folder, sources) = file(&format!(
        "tenant = \"acme\"\n[[tokens]]\nid = \"ci\"\nsha256 = \"{hash}\"\nscopes = [\"events:write\", \"act_as\"]\nprincipal = \"ana\""
    ));
    let config = Config::load(&sources).unwrap();
    assert_eq!((config.tokens[0].tenant.as_str(), config.tokens[0].app.as_str()), ("acme", "throughline"));
    let shown = config.settings().iter().map(|setting| setting.value.as_str()).collect::<String>();
    assert!(!shown.contains(&hash[..16]) && shown.contains("events:write"), "{shown}");
    assert!(config.warnings().iter().any(|warning| warning.contains("ana")), "{:?}", config.warnings());
}

#[test]
fn the_schema_knows_every_setting_in_force() {
    let schema = Config::schema();
    assert_eq!(schema["additionalProperties"], false);
    let config = Config::demo(None).unwrap();
    for setting in config.settings() {
        let mut at = &schema;
        for name in setting.path.split('.') {
            let next = &at["properties"][name];
            at = if next.is_null() { &at["additionalProperties"] } else { next };
            assert!(at.is_object(), "{} is not in the schema", setting.path);
        }
    }
}

#[test]
fn a_project_says_what_it_takes() {
    let (_folder, sources) = file(
        "[projects.DEMO]\nhierarchy = [\"epic_link\"]\narchived = true\n\
         [projects.DEMO.required_for]\nbug = [\"steps\"]\n\
         [projects.DEMO.schema.labels]\nkind = \"options\"\nvalues = [\"web\"]\n",
    );
    let config = Config::load(&sources).unwrap();
    let demo = &config.tracker.projects["DEMO"];
    assert_eq!(demo.required_for[&ItemType::Bug], [Part::Steps]);
    assert_eq!(demo.schema[&Part::Labels], FieldRule::of(FieldKind::Options, ["web"]));
    let warned = config.warnings().join("\n");
    assert!(warned.contains("DEMO, which is archived"), "{warned}");
    assert!(warned.contains("projects.DEMO.child_link is “parent”"), "{warned}");
}

#[test]
fn lists_of_options_have_settings_and_a_short_name_for_the_switch() {
    let environment = |name: &str, value: &str| Sources {
        environment: vec![(name.to_owned(), value.to_owned())],
        ..Sources::default()
    };
    let selection = |sources: &Sources| Config::load(sources).map(|config| config.policy.selection);
    assert!(!selection(&Sources::default()).unwrap().enabled, "off unless somebody says so");
    assert!(selection(&Sources { demo: true, ..Sources::default() }).unwrap().enabled);
    assert!(selection(&environment("THROUGHLINE_SELECTION_ENABLED", "true")).unwrap().enabled);
    let ttl = selection(&environment("THROUGHLINE_POLICY__SELECTION__TTL__REFERENCE", "1")).unwrap().ttl;
    assert_eq!((ttl.reference, ttl.repair), (1, 2));
    let model = environment("THROUGHLINE_POLICY__SELECTION__MODEL__SCOPES", "chat,widget");
    assert_eq!(selection(&model).unwrap().model.scopes.len(), 2);
    for (name, value) in [
        ("THROUGHLINE_POLICY__SELECTION__AUTO_EXECUTE__REASONS", "label_tie"),
        ("THROUGHLINE_POLICY__SELECTION__FLOOR__ASK", "70"),
        ("THROUGHLINE_POLICY__SELECTION__MODEL__SCOPES", "room"),
        ("THROUGHLINE_SELECTION_ENABLED", "maybe"),
        ("THROUGHLINE_SELECTION_ENABLES", "true"),
    ] {
        assert!(selection(&environment(name, value)).is_err(), "{name}");
    }
}

// row: C4
#[test]
fn a_limit_of_context_out_of_its_bounds_is_named_with_its_value_and_its_bounds() {
    let (_folder, sources) = file("[policy.context]\nrecent_tasks = 3\n");
    assert_eq!(Config::load(&sources).unwrap().policy.context.recent_tasks, 3);
    for (table, key, value, bounds) in [
        ("context", "recent_tasks", "2", "3 to 5"),
        ("context", "recent_tasks", "6", "3 to 5"),
        ("context", "max_blockers", "51", "3 to 50"),
        ("context", "max_tokens", "5999", "at least 6000"),
        ("context", "window", "9", "10 to 20"),
        ("summary", "keep", "31", "1 to 30"),
        ("facts", "supersede", "101", "0 to 100"),
    ] {
        let (_folder, sources) = file(&format!("[policy.{table}]\n{key} = {value}\n"));
        let error = Config::load(&sources).unwrap_err().to_string();
        let expected = format!("`policy.{table}.{key}` is {value}, and has to be {bounds}");
        assert!(error.contains(&expected), "{error}");
    }
    let (_folder, sources) = file("[policy.context]\nhistory_statuses = [\"failed\"]\n");
    assert!(Config::load(&sources).unwrap_err().to_string().contains("history_statuses` names completed"));
}

#[test]
fn there_is_room_for_at_least_one_connection() {
    let config = Config::load(&Sources::default()).unwrap();
    assert_eq!(config.server.connections, ConnectionLimits::new(1_024, 512));
    let errors = wrong("server.connections = 0\nserver.connections_per_peer = 65537\n").to_string();
    for path in ["server.connections", "server.connections_per_peer"] {
        assert!(errors.contains(&format!("`{path}` is a number from 1 to 65536")), "{errors}");
    }
}

#[test]
fn a_webhook_goes_to_a_public_address_and_is_signed() {
    let webhook = |more: &str| format!("[[webhooks]]\nname = \"agent\"\nsecret_files = [\"s\"]\n{more}\n");
    let public = "url = \"https://agent.example.org/hook\"";
    let (_folder, sources) = file(&webhook(&format!("{public}\nkinds = [\"turn\"]\ntimeout_ms = 3000")));
    let config = Config::load(&sources).unwrap();
    let one = &config.webhooks[0];
    assert_eq!((one.name.as_str(), one.tenant.as_str()), ("agent", config.tenant.as_str()));
    assert_eq!((one.timeout.as_millis(), one.kinds.as_slice()), (3_000, ["turn".to_owned()].as_slice()));
    for (text, what) in [
        (webhook("url = \"http://agent.example.org/\""), "is not https"),
        (webhook("url = \"https://10.0.0.7/\""), "is no public address"),
        (webhook("url = \"http://127.0.0.1:7099/\""), "allow_loopback"),
        (webhook("url = \"https://a:b@agent.example.org/\""), "holds more than"),
        (webhook("url = \"here\""), "it is no address"),
        (webhook(&format!("{public}\ntimeout_ms = 0")), "from 1 to 30000"),
        (webhook(&format!("{public}\ntimeout_ms = 30001")), "from 1 to 30000"),
        (webhook(public) + &webhook(public), "two of that name"),
        (webhook(public).replace("agent\"\ns", "An Agent\"\ns"), "small letters"),
        (webhook(public).replace("[\"s\"]", "[]"), "name a file"),
    ] {
        let errors = wrong(&text);
        assert_eq!(errors.code().id(), "TL-5401", "{errors}");
        assert!(errors.to_string().contains(what), "{what}: {errors}");
    }
    let unknown = wrong(&webhook(&format!("{public}\nkinds = [\"turns\"]")));
    assert_eq!(unknown.code().id(), "TL-1003", "{unknown}");
    assert!(unknown.to_string().contains("did you mean `turn`"), "{unknown}");
}

#[test]
fn mail_goes_over_tls_has_a_sender_and_links_to_a_page() {
    let whole = "[server]\npublic_url = \"https://throughline.example.org\"\n[mail]\nserver = \"smtp.example.org\"\n\
                 from = \"Throughline <throughline@example.org>\"\n";
    let config = |text: &str| {
        let (_folder, sources) = file(text);
        Config::load(&sources).unwrap()
    };
    assert_eq!(config("").mail, None);
    let mail = config(whole).mail.unwrap();
    assert_eq!((mail.server.as_str(), mail.port, mail.tls), ("smtp.example.org", 587, MailTls::Starttls));
    assert_eq!(config(&format!("{whole}tls = \"implicit\"\n")).mail.unwrap().port, 465);
    let here = whole.replace("smtp.example.org", "127.0.0.1");
    let plain = config(&format!("{here}tls = \"none\"\nallow_loopback = true\n")).mail.unwrap();
    assert_eq!((plain.port, plain.allow_loopback), (25, true));
    for (text, what) in [
        (
            whole.replace("[server]\npublic_url = \"https://throughline.example.org\"\n", ""),
            "`server.public_url`",
        ),
        (here, "allow_loopback = true"),
        (format!("{whole}tls = \"none\"\n"), "`mail.tls` cannot be used"),
        (format!("{whole}port = 0\n"), "from 1 to 65535"),
        (format!("{whole}port = 70000\n"), "from 1 to 65535"),
        (format!("{whole}user = \"throughline\"\n"), "goes with a `mail.password_file`"),
        (format!("{whole}password_file = \"p\"\n"), "goes with a `mail.user`"),
        (whole.replace("smtp.example.org", "smtps://smtp.example.org:465"), "a name like"),
        (whole.replace("smtp.example.org", "smtp.example.org:25"), "a name like"),
        (whole.replace("Throughline <throughline@example.org>", "Throughline"), "`mail.from`"),
        (
            whole.replace("from = ", "user = ").replace("Throughline <throughline@example.org>", "t"),
            "has a sender",
        ),
        ("[mail]\nfrom = \"throughline@example.org\"\n".into(), "none is named"),
    ] {
        let errors = wrong(&text);
        assert_eq!(errors.code().id(), "TL-1106", "{errors}");
        assert!(errors.to_string().contains(what), "{what}: {errors}");
    }
    let errors = wrong("[[users]]\nid = \"mia\"\nemail = \"mia\"\n");
    assert_eq!(errors.code().id(), "TL-1003", "{errors}");
    assert!(errors.to_string().contains("the `email` of “mia” is no address"), "{errors}");
    let people = "[[users]]\nid = \"mia\"\nemail = \"mia@example.org\"\nroles = [\"pm\"]\n";
    for (text, what) in [
        (people, "mia has an `email` and no role that opens approvals"),
        ("", "nobody in `users` has an `email`"),
    ] {
        let warnings = config(&format!("{whole}{text}")).warnings().join("\n");
        assert!(warnings.contains(what), "{warnings}");
    }
}
