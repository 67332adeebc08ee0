//! `throughline doctor mail` against a mail server behind TLS that wants a password.

use std::io::{BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::home::Home;

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/fixtures/tls", name].iter().collect()
}

fn tls() -> Arc<ServerConfig> {
    let certificate = CertificateDer::from_pem_file(fixture("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture("server-key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap())
}

/// Starts a mail server whose connections begin encrypted, or become so by a command. Returns its port.
fn start(implicit: bool) -> u16 {
    let (config, listener) = (tls(), TcpListener::bind("127.0.0.1:0").unwrap());
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let secured = |stream| StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
            if implicit {
                talk(secured(stream), "220 mail ESMTP\r\n");
            } else if let Some(stream) = upgraded(stream) {
                talk(secured(stream), "");
            }
        }
    });
    port
}

/// Holds the part of a conversation that comes before encryption.
fn upgraded(mut stream: TcpStream) -> Option<TcpStream> {
    stream.write_all(b"220 mail ESMTP\r\n").ok()?;
    let mut lines = BufReader::new(stream.try_clone().ok()?).lines();
    loop {
        let line = lines.next()?.ok()?;
        let begins = line == "STARTTLS";
        let answer = if begins { "220 go on\r\n" } else { "250-mail\r\n250 STARTTLS\r\n" };
        stream.write_all(answer.as_bytes()).ok()?;
        if begins {
            return Some(stream);
        }
    }
}

/// Holds the encrypted conversation. A client that does not trust the certificate leaves.
fn talk(stream: impl Read + Write, greeting: &str) -> Option<()> {
    let mut stream = BufReader::new(stream);
    stream.get_mut().write_all(greeting.as_bytes()).ok()?;
    let right = format!("AUTH PLAIN {}", STANDARD.encode("\0throughline\0open sesame"));
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let answer = match line.trim_end() {
            line if line.starts_with("EHLO") => "250-mail\r\n250 AUTH PLAIN LOGIN\r\n",
            line if line == right => "235 2.7.0 in\r\n",
            line if line.starts_with("AUTH") => "535 5.7.8 not with that password\r\n",
            _ => "221 bye\r\n",
        };
        stream.get_mut().write_all(answer.as_bytes()).ok()?;
    }
}

fn home(port: u16, tls: &str) -> Home {
    let home = Home::new();
    home.file("password", "open sesame\n");
    home.file(
        "throughline.toml",
        &format!(
            "[server]\npublic_url = \"https://throughline.example.org\"\n[mail]\nserver = \"127.0.0.1\"\nport = {port}\n\
             tls = \"{tls}\"\nuser = \"throughline\"\npassword_file = \"password\"\nfrom = \"throughline@example.org\"\n\
             allow_loopback = true\n[[users]]\nid = \"mia\"\nroles = [\"approver\"]\nemail = \"mia@example.org\"\n"
        ),
    );
    home
}

#[test]
fn a_mail_server_that_lets_us_in_is_well() {
    let trusted = fixture("server.pem").display().to_string();
    let trusts = [("SSL_CERT_FILE", trusted.as_str())];
    for tls in ["starttls", "implicit"] {
        let home = home(start(tls == "implicit"), tls);
        let ran = home.run_with(&["doctor", "mail"], "", &trusts).ends(0);
        assert!(ran.out.contains("answers over TLS, and lets throughline in"), "{tls}: {}", ran.session());

        home.file("password", "something else");
        let ran = home.run_with(&["doctor", "mail"], "", &trusts).ends(3);
        let said = ["TL-3401", "cannot sign in", "5.7.8 not with that password"];
        assert!(said.iter().all(|what| ran.out.contains(what)), "{tls}: {}", ran.session());
        assert!(!ran.out.contains("something else"), "{}", ran.session());

        let ran = home.run(&["doctor", "mail"]).ends(3);
        assert!(ran.out.contains("TL-3401") && ran.out.contains("ertificate"), "{tls}: {}", ran.session());
    }
}

#[test]
fn what_keeps_mail_from_being_sent_is_said() {
    let home = home(1, "starttls");
    let ran = home.run(&["doctor", "mail"]).ends(3);
    assert!(ran.out.contains("TL-3401") && ran.out.contains("cannot connect"), "{}", ran.session());
    home.file("password", "two\nlines");
    let ran = home.run(&["doctor", "mail"]).ends(3);
    assert!(ran.out.contains("TL-1106") && ran.out.contains("one line"), "{}", ran.session());
    let ran = home.run(&["serve"]).ends(1);
    assert!(ran.err.contains("TL-1106") && !ran.err.contains("lines"), "{}", ran.session());
    let none = Home::new().run(&["doctor", "mail"]).ends(0);
    assert!(none.out.contains("none is sent"), "{}", none.session());
}
