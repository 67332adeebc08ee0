//! `throughline serve`: runs the server until it is stopped.

use std::net::SocketAddr;

use serde_json::json;
use throughline_server::traces::SpanSender;
use throughline_server::{Config, StartError};
use throughline_store::StoreError;

use crate::app::{App, LogFormat};
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::log;
use crate::settings;
use crate::stop_signals::StopSignals;

/// Run everything on one port: web chat, HTTP API, local tracker, store
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline serve --demo                     here and now: loopback only, no token, no set-up
  throughline serve --config bot.toml          with a configuration of your own
  throughline serve --demo --data ~/tl --listen 127.0.0.1:8080")]
pub(crate) struct Args {
    /// With a demo's users, approver rule and tracker; loopback only, no token needed
    #[arg(long)]
    demo: bool,
    /// Address to listen on [default: 127.0.0.1:7070]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let mut sources = settings::sources(app);
    sources.demo = args.demo;
    if let Some(listen) = &args.listen {
        sources = sources.flag("server.listen", listen, "--listen");
    }
    let config = Config::load(&sources).map_err(settings::invalid)?;
    let format = if config.telemetry.format == "json" { LogFormat::Json } else { LogFormat::Text };
    let runtime = app.runtime()?;
    let spans =
        SpanSender::start(&config.telemetry.traces, runtime.handle().clone()).map_err(settings::invalid)?;
    app.start_log(Some(&config.telemetry.level), format, spans.as_ref());
    for warning in config.warnings() {
        app.out.warn(&warning);
    }
    let ended = runtime.block_on(serve(app, config));
    if let Some(spans) = spans {
        spans.stop();
    }
    ended
}

async fn serve(app: &App, config: Config) -> Outcome {
    let (demo, store, listen) = (config.server.demo, config.store.to_string(), config.server.listen);
    let mut printed = Ok(());
    let ready = |address: SocketAddr| printed = print_address(app, address, demo, &store);
    throughline_server::serve(config, ready, shutdown_signal(app)?)
        .await
        .map_err(|error| not_started(&error, listen))?;
    // The server ran well even if nobody could read its address.
    let _: Result<(), std::io::Error> = printed;
    app.out.note("stopped; nothing that was accepted is lost");
    Ok(Exit::Ok)
}

fn print_address(app: &App, address: SocketAddr, demo: bool, store: &str) -> std::io::Result<()> {
    let url = format!("http://{address}");
    if app.out.is_json() {
        return app.out.value(&json!({ "ready": true, "url": url, "demo": demo, "store": store }));
    }
    app.out.line(&format!("Throughline listens on {url}"))?;
    let mut lines = vec![
        format!("  web chat  {url}/"),
        format!("  HTTP API  {url}/v1, described by {url}/v1/openapi.json"),
        format!("  store     {store}"),
    ];
    if demo {
        lines.push("  demo      no token needed; you, ana and bob may approve".into());
    }
    lines.push(format!(
        "\nTalk to it in a browser, or by {}\nCtrl-C stops it, a second one at once.",
        app.command("chat")
    ));
    app.out.note(&lines.join("\n"));
    Ok(())
}

/// Returns a future that completes at the first Ctrl-C or SIGTERM. A second signal exits at once, which is safe because
/// accepted events are durable.
fn shutdown_signal(app: &App) -> Result<impl Future<Output = ()> + use<>, Failure> {
    let failed = |error: std::io::Error| Failure::new("cannot listen for signals").because(&error);
    let mut signals = StopSignals::listen().map_err(failed)?;
    let out = app.out.clone();
    let (tell, told) = tokio::sync::oneshot::channel();
    tokio::spawn(async move {
        let mut tell = Some(tell);
        loop {
            signals.next().await;
            match tell.take() {
                Some(tell) => {
                    out.note("stopping: finishing what runs (again to leave at once)");
                    let _ = tell.send(());
                }
                None => {
                    log::flush();
                    std::process::exit(i32::from(Exit::Interrupted.code()));
                }
            }
        }
    });
    Ok(async move {
        if told.await.is_err() {
            std::future::pending::<()>().await;
        }
    })
}

/// Words the error of starting the server, with a hint.
fn not_started(error: &StartError, listen: SocketAddr) -> Failure {
    let what = match error {
        StartError::Store(StoreError::TakenOver { .. }) => "the server has stopped",
        _ => "the server did not start",
    };
    let failure = Failure::new(what).because(error).code(error.code().id());
    match error {
        StartError::Config(errors) => settings::invalid(errors.clone()),
        StartError::Listen { .. } => failure
            .hint(format!("is one running there already? `throughline doctor --server http://{listen}`")),
        StartError::Model { .. } | StartError::Tool { .. } => {
            failure.hint(error.code().fix).exit(Exit::Configuration)
        }
        other => failure.hint(other.code().fix),
    }
}
