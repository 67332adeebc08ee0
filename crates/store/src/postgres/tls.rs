//! Connections that are encrypted. `sslmode=require` and `verify-full` are one: a server whose certificate is not trusted, or is
//! for another name, is refused. Encryption to somebody unknown would protect nothing.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, InvalidDnsNameError, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Trust of an encrypted connection.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

/// Takes from a connection string what the client's own parser does not know, and returns the rest of it with what to trust, if
/// the connection is to be encrypted.
pub(super) fn split(url: &str) -> Result<(String, Option<Tls>), String> {
    let (url, roots) = without(url, "sslrootcert=");
    let url = url.replace("sslmode=verify-full", "sslmode=require");
    if !url.contains("sslmode=require") {
        return Ok((url, None));
    }
    let mut trusted = RootCertStore::empty();
    match &roots {
        Some(path) => {
            let failed =
                |error: &dyn std::fmt::Display| format!("cannot read the certificates in {path}: {error}");
            for certificate in CertificateDer::pem_file_iter(path).map_err(|error| failed(&error))? {
                let certificate = certificate.map_err(|error| failed(&error))?;
                trusted.add(certificate).map_err(|error| failed(&error))?;
            }
        }
        None => {
            trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        }
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    let config = builder.with_root_certificates(trusted).with_no_client_auth();
    Ok((url, Some(Tls(Arc::new(config)))))
}

/// Returns a connection string without a parameter, and the parameter's value.
fn without(url: &str, name: &str) -> (String, Option<String>) {
    let Some((before, rest)) = url.split_once(name) else { return (url.into(), None) };
    let end = rest.find(['&', ' ']).unwrap_or(rest.len());
    let (value, after) = rest.split_at(end);
    let after = after.strip_prefix('&').unwrap_or(after);
    (format!("{before}{after}").trim_end_matches(['?', '&']).into(), Some(value.into()))
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> MakeTlsConnect<S> for Tls {
    type Stream = Encrypted<S>;
    type TlsConnect = Connect;
    type Error = InvalidDnsNameError;

    fn make_tls_connect(&mut self, host: &str) -> Result<Connect, InvalidDnsNameError> {
        let name = ServerName::try_from(host.to_owned())?;
        Ok(Connect { connector: TlsConnector::from(self.0.clone()), name })
    }
}

/// A connection that is about to be encrypted.
pub(super) struct Connect {
    connector: TlsConnector,
    name: ServerName<'static>,
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Connect {
    type Stream = Encrypted<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Encrypted<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        Box::pin(async move { self.connector.connect(self.name, stream).await.map(Encrypted) })
    }
}

/// An encrypted connection.
pub(super) struct Encrypted<S>(TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> tokio_postgres::tls::TlsStream for Encrypted<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Encrypted<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Encrypted<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_encryption_are_taken_out() {
        let taken = |url: &str| without(url, "sslrootcert=");
        let root = Some("/etc/ca.pem".to_owned());
        let url = "postgres://u@db/t?sslmode=require";
        assert_eq!(
            taken("postgres://u@db/t?sslrootcert=/etc/ca.pem&sslmode=require"),
            (url.into(), root.clone())
        );
        assert_eq!(
            taken("postgres://u@db/t?sslmode=require&sslrootcert=/etc/ca.pem"),
            (url.into(), root.clone())
        );
        assert_eq!(taken("host=db sslrootcert=/etc/ca.pem user=u"), ("host=db  user=u".into(), root));
        assert_eq!(taken(url), (url.into(), None));
    }

    #[test]
    fn a_connection_is_encrypted_where_that_is_asked_for() {
        let encrypted = |url: &str| split(url).unwrap().1.is_some();
        assert!(encrypted("host=db sslmode=require"));
        assert!(encrypted("postgres://u@db/t?sslmode=verify-full"));
        assert!(!encrypted("host=db sslmode=disable"));
        assert!(!encrypted("host=/run/postgresql"));
        let missing = split("host=db sslmode=require sslrootcert=/there/is/none").err().unwrap();
        assert!(missing.contains("/there/is/none"), "{missing}");
    }
}
