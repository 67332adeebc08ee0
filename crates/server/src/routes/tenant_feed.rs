//! Feed of a tenant: the events of all its conversations that the reader may see, in one order, for the stream and the
//! long poll. Reasons: `docs/design/0070-one-stream.md`.

use std::collections::HashMap;
use std::sync::Arc;

use axum::http::HeaderMap;
use serde::Deserialize;
use throughline_engine::LaneKey;
use throughline_runtime::Heard;
use throughline_store::{EffectState, Performer};
use tokio::sync::broadcast;

use super::cursor::Cursor;
use super::tenant_events::{self, Kind, Kinds, Lanes, Told};
use crate::access::{self, Act};
use crate::app::App;
use crate::auth::Caller;
use crate::codes;
use crate::problem::Problem;
use crate::session;
use crate::wire;
use crate::wire::vocabulary::TenantPosition;

/// Turns read at a time.
const BATCH: u32 = 32;
/// Maximum number of open effects that are looked through at the beginning.
const OFFERED: u32 = 1_000;

/// Place from which to go on, and what is wanted.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FollowQuery {
    /// Cursor behind which to go on: the id of the last event that arrived, or the `cursor` of a poll. 0 begins with the
    /// oldest turn, and without it only what happens from now on is told. The header `Last-Event-ID` has precedence.
    #[param(value_type = Option<TenantPosition>, inline)]
    after: Option<String>,
    /// Kinds with commas between; all of them if absent. `approval` needs the scope `approvals:read`; `reset` is told to
    /// everybody.
    #[param(value_type = Option<Vec<Kind>>, style = Form, explode = false, min_items = 1, inline)]
    kinds: Option<String>,
}

/// Part of the events.
pub(crate) struct Batch {
    /// Effects that wait for their host. They have no place in the order.
    pub(crate) offered: Vec<wire::Envelope>,
    /// Events in their order.
    pub(crate) told: Vec<Told>,
    /// True if there may be more at once.
    pub(crate) more: bool,
}

/// Events of a tenant from a cursor on.
pub(crate) struct TenantFeed {
    app: Arc<App>,
    caller: Caller,
    cursor: Cursor,
    kinds: Kinds,
    committed: broadcast::Receiver<Heard>,
    begun: bool,
}

impl TenantFeed {
    /// Begins to follow. Whatever is committed from now on will be told.
    ///
    /// # Errors
    ///
    /// The caller may read no lanes, the query is wrong, or the store did not answer.
    pub(crate) async fn open(
        app: Arc<App>,
        caller: Caller,
        query: FollowQuery,
        headers: &HeaderMap,
    ) -> Result<Self, Problem> {
        caller.need(Act::ReadLane.scope())?;
        // Subscribed before the first read, so that no commit is missed.
        let committed = app.runtime().wakes().subscribe();
        let kinds = Kinds::parse(query.kinds.as_deref())?.readable_by(&caller)?;
        let last = headers.get("last-event-id").map(|id| id.to_str().unwrap_or("?").to_owned());
        let cursor = match last.or(query.after) {
            None => Cursor::Behind(app.store().turns_end(&caller.tenant).await?),
            Some(text) => Cursor::parse(&text).ok_or_else(|| {
                let text =
                    format!("{text:?} is not a cursor of this stream; leave it out to begin with what comes");
                Problem::new(&codes::BAD_REQUEST, text)
            })?,
        };
        Ok(Self { app, caller, cursor, kinds, committed, begun: false })
    }

    /// Returns the cursor behind everything that was told or left out.
    pub(crate) fn cursor(&self) -> Cursor {
        self.cursor
    }

    /// Returns the next part of the events: the first is what is offered to the host, and what there is.
    ///
    /// # Errors
    ///
    /// The reader's session ended, or the store did not answer.
    pub(crate) async fn next(&mut self) -> Result<Batch, Problem> {
        let batch = self.read().await?;
        // Looked at after reading: who left meanwhile is told nothing more.
        if session::counts(&self.app, &self.caller) { Ok(batch) } else { Err(session::over()) }
    }

    async fn read(&mut self) -> Result<Batch, Problem> {
        let first = !self.begun;
        if first {
            let end = self.app.store().turns_end(&self.caller.tenant).await?;
            if self.cursor.is_beyond(end) {
                let reset = tenant_events::reset(end, self.app.store().now());
                self.cursor = reset.cursor;
                self.begun = true;
                return Ok(Batch { offered: self.offered(&[]).await?, told: vec![reset], more: true });
            }
        }
        let page = self.app.store().turns_of_tenant(&self.caller.tenant, self.cursor.after(), BATCH).await?;
        let (mut told, mut lanes, mut seen) = (Vec::new(), Lanes::default(), Seen::default());
        for stored in &page.turns {
            if !seen.allows(&self.app, &self.caller, &stored.lane).await? {
                continue;
            }
            let skip = self.cursor.told_of(stored.position);
            told.extend(tenant_events::of_turn(&self.app, &mut lanes, stored, skip, &self.kinds).await?);
        }
        let offered = if first { self.offered(&told).await? } else { Vec::new() };
        // Only now: a part that could not be read is read again.
        self.cursor = Cursor::Behind(page.end);
        self.begun = true;
        Ok(Batch { offered, told, more: page.turns.len() >= BATCH as usize })
    }

    /// Returns the hosts' open effects that are not among the new events, oldest first, so that a client that comes back
    /// finds them until they are reported.
    async fn offered(&self, told: &[Told]) -> Result<Vec<wire::Envelope>, Problem> {
        if !self.kinds.has(Kind::Effect) {
            return Ok(Vec::new());
        }
        let (store, tenant) = (self.app.store(), &self.caller.tenant);
        let open = store.effects(tenant, None, Some(EffectState::Attempted), OFFERED).await?;
        let known = |id: &str| {
            told.iter().any(|told| told.envelope.kind == "effect" && told.envelope.data["id"] == id)
        };
        let (mut all, mut seen) = (Vec::new(), Seen::default());
        for effect in open.into_iter().rev() {
            let hosted = effect.row.performer == Performer::Host && !known(effect.row.id.as_str());
            if hosted && seen.allows(&self.app, &self.caller, &effect.lane).await? {
                all.extend(tenant_events::offered(&self.app, effect).await?);
            }
        }
        Ok(all)
    }

    /// Waits until a turn of the tenant is committed; returns false if the instance shuts down, or the reader's session
    /// ended.
    pub(crate) async fn more(&mut self) -> bool {
        loop {
            let drained = self.app.drained.notified();
            if self.app.draining() {
                return false;
            }
            tokio::select! {
                () = drained => return false,
                () = session::ended(&self.app, &self.caller) => return false,
                heard = self.committed.recv() => match heard {
                    Ok(Heard::Turn(committed)) if committed.lane.tenant != self.caller.tenant => {}
                    Ok(Heard::Turn(_) | Heard::Missed) | Err(broadcast::error::RecvError::Lagged(_)) => return true,
                    Err(broadcast::error::RecvError::Closed) => return false,
                },
            }
        }
    }
}

/// Lanes that the caller may read, or not, as far as was asked for one part. Rights change, so they are asked anew for the
/// next one.
#[derive(Default)]
struct Seen(HashMap<LaneKey, bool>);

impl Seen {
    async fn allows(&mut self, app: &App, caller: &Caller, lane: &LaneKey) -> Result<bool, Problem> {
        if let Some(known) = self.0.get(lane) {
            return Ok(*known);
        }
        let allowed = access::allows(app, caller, Act::ReadLane, lane).await?;
        self.0.insert(lane.clone(), allowed);
        Ok(allowed)
    }
}
