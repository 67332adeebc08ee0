//! Samples of every rule in the texts that people paste, and texts that only look alike.

use alloc::format;
use alloc::string::String;

use super::assignment::NAMES;
use super::redact::redacted;
use super::secret_rules::{Class, Rule, SERVICES, TOKENS};

/// Sample of a rule: the shortest that it takes.
fn sample(rule: &Rule) -> String {
    let from = match rule.class {
        Class::Hex => "7f3a9c0e5b1d8264",
        Class::Capitals => "Q7ZX2MB5TK3WJ6RN",
        Class::Letters | Class::Mixed => "q7ZxM2bT9kWjR4nLc",
        Class::Word => "q7Z_xM2-bT9kWjR4",
        Class::Dotted => "q7Zx.M2bT9=kW-jR4",
        Class::Base64 => "q7Zx+M2bT9/kWjR4",
    };
    from.chars().cycle().take(*rule.length.start()).collect()
}

fn hidden(text: &str, secret: &str) {
    let shown = redacted(text);
    assert!(!shown.contains(secret), "{text} is shown as {shown}");
    assert_eq!(redacted(&shown), shown.as_ref(), "twice");
}

#[test]
fn every_token_is_hidden_wherever_it_stands() {
    let around = [
        ("", ""),
        ("use ", " please"),
        ("nimm ", ", bitte"),
        ("see ", "."),
        ("(", ")"),
        ("\"", "\""),
        ("'", "';"),
        ("`", "`"),
        ("<code>", "</code>"),
        ("https://example.com/?t=", "&page=2"),
        ("key = ", "\n"),
    ];
    for rule in &TOKENS {
        let token = format!("{}{}", rule.begins.replace('?', "a"), sample(rule));
        for (before, behind) in around {
            hidden(&format!("{before}{token}{behind}"), &token);
        }
    }
}

#[test]
fn the_keys_of_services_are_hidden() {
    for rule in &SERVICES {
        let (name, value) = (rule.begins, sample(rule));
        let upper = name.to_ascii_uppercase();
        for text in [
            format!("{name}_token = \"{value}\""),
            format!("export {upper}_API_KEY={value}"),
            format!("{name}Token: {value}"),
            format!("'{name}-key' => '{value}',"),
            format!("\"{name}.secret\": \"{value}\""),
            format!("our {name} key: {value}"),
            format!("unser {name} Schlüssel: {value}"),
            format!("<{name}>{value}</{name}>"),
            format!("{name} := `{value}`;"),
        ] {
            hidden(&text, &value);
        }
    }
}

#[test]
fn what_a_name_announces_is_hidden() {
    for name in NAMES {
        let upper = name.to_uppercase().replace(' ', "_");
        let camel: String =
            name.split(' ').map(|part| format!("{}{}", part[..1].to_uppercase(), &part[1..])).collect();
        for value in ["hunter2x", "S3cr3t!Pa55-wort"] {
            for text in [
                format!("{name}: {value}"),
                format!("{name} = '{value}'"),
                format!("{upper}={value}"),
                format!("DB_{upper}=\"{value}\" ./run"),
                format!("db{camel}: {value}"),
                format!("\"{name}\": \"{value}\","),
                format!("config['{name}'] = '{value}'"),
                format!("\\\"{name}\\\": \\\"{value}\\\""),
                format!("<{name}>{value}</{name}>"),
                format!("{name} := {value}"),
                format!("the {name} is {value}"),
                format!("The {name} is: \"{value}\""),
                format!("{name} lautet {value}"),
                format!("mein {name} ist {value}, bitte"),
                format!("<add key=\"{name}\" value=\"{value}\" />"),
            ] {
                hidden(&text, value);
            }
        }
        hidden(&format!("{name} for the database: xK4p9Lq2Zr"), "xK4p9Lq2Zr");
        hidden(&format!("my{camel}Value: xK4p9Lq2Zr"), "xK4p9Lq2Zr");
    }
}

#[test]
fn credentials_of_commands_and_headers_are_hidden() {
    for (text, secret) in [
        ("curl -u ana:hunter2x https://example.com", "hunter2x"),
        ("curl -s --user 'ana:hunter2x' https://example.com", "hunter2x"),
        ("run curl --user=\"ana:hunter2x\" -v", "hunter2x"),
        ("curl -H 'Authorization: Token 22cb98785b' https://example.com", "22cb98785b"),
        ("Authorization: Api-Token 22cb98785b", "22cb98785b"),
        ("Authorization: Basic YW5hOjEyMzQ=", "YW5hOjEyMzQ="),
        ("client: abc8Q~dEf5gHi2jKl9mNo.pQr3sTu_vWx7yZa1bCd", "dEf5gHi2jKl9mNo"),
        ("1308742762612587|rhoK1cbv0DOU_RTX_87O4MkX7AI", "rhoK1cbv0DOU"),
        ("Datenbankpasswort: hunter2x", "hunter2x"),
        ("unser Datenbankpasswort ist hunter2x", "hunter2x"),
        ("das Übergangskennwort lautet: hunter2x", "hunter2x"),
    ] {
        hidden(text, secret);
    }
}

#[test]
fn what_only_looks_like_a_secret_stays() {
    for text in [
        "the password is required",
        "my password is 12 characters",
        "Das Passwort ist abgelaufen",
        "token limit: 128000",
        "token budget: 4096, please",
        "the token expires at 12:30",
        "secret santa date: 2026-12-24T10:00",
        "api key bug: PROJ-12345",
        "token library version: v1.2.3-beta4",
        "password page: https://example.com/reset1?x=22",
        "password: ${DB_PASSWORD}",
        "password = {{ vault.db_password_1 }}",
        "TOKEN=$CI_JOB_TOKEN",
        "jira: PROJ-12",
        "linear: the third issue of this week",
        "sumOf = suGyI5imvADdvU",
        "s.makeKubeConfigController = args",
        "keyboard: 104 keys",
        "curl https://example.com:8080/path",
        "commit 8c9e3b1f0d4a4f7c9b2a6e5d4c3b2a190f8e7d6c of main",
        "id: 550e8400-e29b-41d4-a716-446655440000",
        "Das Geheimnis: niemand weiß es",
        "Sitzung: 14:30 im Raum 2, Kennwort vergessen",
    ] {
        assert_eq!(redacted(text), text);
    }
}

/// A scan that read any part repeatedly would take minutes here.
#[test]
fn a_long_text_is_read_once() {
    for part in [
        "a://",
        "-----BEGIN ",
        "eyJ.",
        "password=",
        "token=[redacted:",
        "client ",
        "a@b ",
        "secret:\"",
        "sk-",
        "password ",
        "jira ",
        "a_b-",
        "curl ",
        "aQ~",
        "secret: \\\"",
        "token is ",
        "=",
        "key => ",
        "1|",
        "Ä:",
        "A3-",
        "token_x:",
        "token=${",
        "password: {{",
        "ABSK/",
        "glc_a/",
        "eyJ-",
        "dbToken is ",
        "-u ",
        "$TOKEN=",
    ] {
        let text = part.repeat(300_000 / part.len());
        assert!(!redacted(&text).is_empty());
    }
}
