//! `throughline-bench serve …`: the server by its library, with the arguments of the real program, for tests of the
//! benchmarks, which must not need another program to be built, and for a flame graph, whose samples it takes itself.

use anyhow::{Context, bail};
use serde_json::json;
use throughline_server::{Config, Sources};

use crate::flame;
use crate::frame::block_on;

/// Serves until it is killed or told to stop.
pub(crate) fn serve(arguments: &[String]) -> anyhow::Result<()> {
    let mut sources = Sources::default();
    let mut picture = None;
    let mut arguments = arguments.iter();
    while let Some(name) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{name} needs a value"));
        match name.as_str() {
            "--config" => sources.file = Some(value()?.into()),
            "--data" => sources.data = Some(value()?.into()),
            "--listen" => sources = sources.flag("server.listen", value()?, "--listen"),
            "--flame" => picture = Some(value()?.clone()),
            "--json" | "--quiet" => {}
            other => bail!("unexpected argument {other}"),
        }
    }
    let config = Config::load(&sources)?;
    let sampled = picture.is_some().then(flame::begin).transpose()?;
    block_on(async {
        let mut told = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())?;
        let ready = |address| crate::print(&json!({ "url": format!("http://{address}") }).to_string());
        let stop = async move {
            told.recv().await;
        };
        throughline_server::serve(config, ready, stop).await?;
        anyhow::Ok(())
    })??;
    if let (Some(sampled), Some(picture)) = (sampled, picture) {
        flame::write(&sampled, picture.as_ref())?;
    }
    Ok(())
}
