//! Export of spans to a collector by OTLP over HTTP, if one is configured (`docs/design/0084-spans-of-turns.md`).
//!
//! A span that ended is put into a queue that never makes anybody wait; a thread of its own sends batches. What does
//! not fit, because the collector is gone or slow, is lost.

use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{AUTHORIZATION, HeaderValue};
use http::{HeaderMap, Request, Response};
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider};
use throughline_net::{Endpoint, TransportError};
use throughline_runtime::spans;
use tokio::runtime::Handle;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::codes;
use crate::config::{ConfigError, ConfigErrors, Traces};

/// Path of traces below a collector's address.
const PATH: &str = "v1/traces";
/// Time of one request to the collector.
const REQUEST: Duration = Duration::from_secs(10);
/// Spans that wait to be sent; more are lost.
const QUEUE: usize = 8_192;
/// Longest time that a span waits for others.
const PAUSE: Duration = Duration::from_secs(1);
/// Time that the last spans have before the process ends.
const LAST_SPANS: Duration = Duration::from_secs(2);
/// Signals of selections: events with codes, which stand on the span of their turn.
const SELECTION: &str = "throughline::selection";

/// Sender of spans. Stop it when nothing runs any more.
pub struct SpanSender(SdkTracerProvider);

impl SpanSender {
    /// Starts to send to the configured collector; `None` if there is none. `handle` is the runtime that its requests
    /// run on.
    ///
    /// # Errors
    /// The address or the file of the authorization cannot be used.
    pub fn start(traces: &Traces, handle: Handle) -> Result<Option<Self>, ConfigErrors> {
        let Some(base) = &traces.endpoint else { return Ok(None) };
        let client = Client::new(base, traces, handle).map_err(unusable)?;
        let exporter = SpanExporter::builder()
            .with_http()
            .with_protocol(Protocol::HttpBinary)
            .with_endpoint(client.endpoint.address())
            .with_timeout(REQUEST)
            .with_http_client(client)
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        let resource = Resource::builder()
            .with_service_name("throughline")
            .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
        let batches =
            BatchConfigBuilder::default().with_max_queue_size(QUEUE).with_scheduled_delay(PAUSE).build();
        let share = f64::from(traces.percent) / 100.0;
        let provider = SdkTracerProvider::builder()
            .with_resource(resource.build())
            .with_sampler(Sampler::ParentBased(Box::new(Sampler::TraceIdRatioBased(share))))
            .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(batches).build())
            .build();
        Ok(Some(Self(provider)))
    }

    /// Returns the layer that takes the spans. It sees neither other spans nor the log.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: tracing::Subscriber + for<'span> LookupSpan<'span> + Send + Sync,
    {
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("throughline"))
            .with_location(false)
            .with_threads(false)
            .with_target(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(|of| matches!(of.target(), spans::TARGET | SELECTION)))
    }

    /// Sends what is left, for a short time. Call it outside of the runtime, while that still runs.
    pub fn stop(self) {
        if let Err(error) = self.0.shutdown_with_timeout(LAST_SPANS) {
            tracing::warn!(%error, "the last spans were not sent");
        }
    }
}

fn unusable(why: String) -> ConfigErrors {
    let text = format!("cannot send spans to `telemetry.traces`: {why}");
    ConfigErrors(vec![ConfigError { code: &codes::CONFIG_INVALID, origin: None, text, suggestion: None }])
}

/// Returns the reason for which no spans can be sent to an address.
pub(crate) fn refused(base: &str) -> Option<String> {
    Endpoint::own(base, PATH, REQUEST).err()
}

/// HTTP client of the exporter. Its thread has no runtime, so requests run on the program's.
struct Client {
    endpoint: Endpoint,
    authorization: Option<HeaderValue>,
    handle: Handle,
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

impl Client {
    fn new(base: &str, traces: &Traces, handle: Handle) -> Result<Self, String> {
        let endpoint = Endpoint::own(base, PATH, REQUEST)?;
        let authorization = match &traces.authorization_file {
            None => None,
            Some(file) => {
                let text = std::fs::read_to_string(file)
                    .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
                let mut value = HeaderValue::from_str(text.trim())
                    .map_err(|_| format!("{} holds no value of a header", file.display()))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        Ok(Self { endpoint, authorization, handle })
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (parts, body) = request.into_parts();
        let mut headers: HeaderMap = parts.headers;
        if let Some(value) = &self.authorization {
            headers.insert(AUTHORIZATION, value.clone());
        }
        let endpoint = self.endpoint.clone();
        let sent =
            self.handle.spawn(async move { endpoint.post("sending spans", headers, body.to_vec()).await });
        let got = sent.await?.map_err(|error| match error {
            TransportError::NotSent(why) | TransportError::Lost(why) => why,
        })?;
        let mut response = Response::builder().status(got.status).body(Bytes::from(got.body))?;
        *response.headers_mut() = got.headers;
        Ok(response)
    }
}
