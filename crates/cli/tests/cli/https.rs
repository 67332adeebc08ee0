//! `--server https://…`: the certificate is checked, and a server behind TLS is asked as any other.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::home::Home;

fn fixture(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/fixtures/tls", name].iter().collect()
}

/// A server behind TLS that has no lanes. Returns its port.
fn start() -> u16 {
    let certificate = CertificateDer::from_pem_file(fixture("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(fixture("server-key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = Arc::new(builder.with_no_client_auth().with_single_cert(vec![certificate], key).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = BufReader::new(StreamOwned::new(connection, stream));
            let mut head = Vec::new();
            // A client that does not trust the certificate leaves.
            while stream.read_until(b'\n', &mut head).is_ok_and(|read| read > 2) {}
            let asked = String::from_utf8_lossy(&head).into_owned();
            let status = if asked.contains("Bearer tlk_x_1") { "200 OK" } else { "401 Unauthorized" };
            let body = r#"{"items":[],"next":null}"#;
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            let _ = stream.get_mut().write_all(answer.as_bytes());
            stream.get_mut().conn.send_close_notify();
            let _ = stream.get_mut().flush();
        }
    });
    port
}

#[test]
fn a_server_behind_tls_is_asked_if_its_certificate_is_trusted() {
    let home = Home::new();
    home.file("x.token", "tlk_x_1\n");
    let port = start();
    let url = format!("https://127.0.0.1:{port}");
    let trusted = fixture("server.pem").display().to_string();
    let list = ["lanes", "list", "--json", "--server", &url];
    let trusts = [("SSL_CERT_FILE", trusted.as_str())];
    let with_token = [&list[..], &["--token-file", "x.token"]].concat();
    assert_eq!(home.run_with(&with_token, "", &trusts).ends(0).json(), serde_json::json!([]));
    home.run_with(&list, "", &trusts).ends(6);
    let stranger = home.run(&with_token).ends(5);
    assert!(stranger.err.contains("certificate"), "{}", stranger.session());
    // Not a name of the certificate.
    let other = format!("https://127.0.0.2:{port}");
    home.run_with(&["lanes", "list", "--server", &other], "", &trusts).ends(5);
}
