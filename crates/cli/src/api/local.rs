//! Reads the local store without starting background work.

use std::collections::BTreeSet;
use std::future::Future;

use throughline_engine::{CardId, EffectId, LaneId, Language, TurnId};
use throughline_runtime::{Runtime, RuntimeError};
use throughline_server::wire::{Approval, Context, Effect, Lane, LaneInfo, Pause, Replays, TurnInfo, Why};
use throughline_server::{Config, Instance, StartError, views};
use throughline_store::{EffectState, StoreError};

use super::beside::{Held, open_or_find};
use super::copied::Copied;
use super::{LANES, newest};
use crate::app::App;
use crate::error::Failure;
use crate::exit::Exit;
use crate::settings;

/// An opened local store.
pub(crate) struct Local {
    runtime: tokio::runtime::Runtime,
    instance: Instance,
    /// The copy that was opened in its place, if it is one. Goes last.
    _copied: Option<Copied>,
}

impl Local {
    /// Opens the store of a configuration. Fails if it does not exist, so that reading creates no files.
    pub(crate) fn open(app: &App, config: Config) -> Result<Self, Failure> {
        settings::require_store(&config)?;
        let runtime = app.runtime()?;
        let instance =
            runtime.block_on(throughline_server::open(config)).map_err(|error| not_started(&error))?;
        Ok(Self { runtime, instance, _copied: None })
    }

    /// Opens the configured store for a command that reads what no server hands out. While a server has the store, this
    /// is a copy of it that is taken now and goes with the command.
    pub(crate) fn open_to_read(app: &App) -> Result<Self, Failure> {
        let config = settings::installation(app)?;
        match open_or_find(&config, || Self::open(app, config.clone()))? {
            Held::Here(local) => Ok(local),
            Held::There(_) => {
                app.out.detail("a server has the store, so this reads a copy of it");
                let copied = Copied::of(&config)?;
                let local = Self::open(app, copied.config(&config))?;
                copied.goes_with(&local.runtime);
                Ok(Self { _copied: Some(copied), ..local })
            }
        }
    }

    /// Returns the configuration of the store.
    pub(crate) fn config(&self) -> &Config {
        &self.instance.config
    }

    /// Returns the opened instance, whose loops are not running.
    pub(crate) fn instance(&self) -> &Instance {
        &self.instance
    }

    /// Runs a request to the store to completion.
    pub(crate) fn block_on<T, E: Into<RuntimeError>>(
        &self,
        future: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Failure> {
        self.runtime.block_on(future).map_err(|error| store_failed(&error.into()))
    }

    fn runtime(&self) -> &Runtime {
        &self.instance.runtime
    }

    /// Returns every tenant.
    pub(crate) fn tenants(&self) -> Result<BTreeSet<String>, Failure> {
        self.block_on(self.instance.tenants())
    }

    /// Looks for a value in each tenant in turn. There is no check of access: who can read the file can read all of it.
    fn find<T, F: Future<Output = Result<Option<T>, RuntimeError>>>(
        &self,
        what: &str,
        id: &str,
        list: &str,
        look: impl Fn(String) -> F,
    ) -> Result<T, Failure> {
        for tenant in self.tenants()? {
            if let Some(found) = self.block_on(look(tenant))? {
                return Ok(found);
            }
        }
        Err(not_found(what, id, list))
    }

    fn collect<T, F: Future<Output = Result<Vec<T>, RuntimeError>>>(
        &self,
        limit: usize,
        list: impl Fn(String, u32) -> F,
    ) -> Result<Vec<T>, Failure> {
        let mut all = Vec::new();
        for tenant in self.tenants()? {
            let left = u32::try_from(limit - all.len()).unwrap_or(u32::MAX);
            if left > 0 {
                all.extend(self.block_on(list(tenant, left))?);
            }
        }
        Ok(all)
    }

    /// Returns the stored row of a lane.
    pub(crate) fn stored_lane(&self, id: &str) -> Result<throughline_store::LaneInfo, Failure> {
        let (store, id) = (&self.instance.store, LaneId::from(id));
        self.find("lane", id.as_str(), "lanes list", |tenant| {
            let id = id.clone();
            async move { Ok(store.lane(&tenant, &id).await?) }
        })
    }

    /// Returns the stored rows of at most `limit` lanes, in the order of their ids.
    pub(crate) fn stored_lanes(
        &self,
        person: Option<&str>,
        limit: usize,
    ) -> Result<Vec<throughline_store::LaneInfo>, Failure> {
        let store = &self.instance.store;
        self.collect(limit, |tenant, limit| async move {
            Ok(match person {
                Some(person) => store.lanes_of(&tenant, person, None, limit).await?,
                None => store.lanes(&tenant, None, limit).await?,
            })
        })
    }

    pub(crate) fn why(&self, id: &str) -> Result<Why, Failure> {
        let loops = self.runtime();
        let (_, turn) = self.find("turn", id, "lanes show LANE", |tenant| async move {
            loops.turn_record(&tenant, id).await
        })?;
        Ok(views::why(&turn, Language::En))
    }

    pub(crate) fn lanes(&self, person: Option<&str>, limit: usize) -> Result<Vec<LaneInfo>, Failure> {
        Ok(newest(self.stored_lanes(person, LANES)?.iter().map(LaneInfo::from).collect(), limit))
    }

    pub(crate) fn lane(&self, id: &str) -> Result<Lane, Failure> {
        let info = self.stored_lane(id)?;
        self.block_on(views::lane(self.runtime(), &info))
    }

    pub(crate) fn context(&self, id: &str, max_tokens: Option<u32>) -> Result<Context, Failure> {
        let info = self.stored_lane(id)?;
        let lane = self.block_on(self.runtime().lane_with_summary(&info.key))?;
        let facts = self.block_on(self.runtime().facts_near(&lane))?;
        Ok(views::context::of_lane(&lane, facts, &self.config().policy, max_tokens)?)
    }

    pub(crate) fn turns(&self, lane: &str, limit: usize) -> Result<Vec<TurnInfo>, Failure> {
        let info = self.stored_lane(lane)?;
        let store = &self.instance.store;
        let mut told = Vec::new();
        let mut before = u64::MAX >> 1;
        while told.len() < limit {
            let page = u32::try_from((limit - told.len()).min(200)).unwrap_or(200);
            let turns = self.block_on(store.turns_before(&info.key, before, page))?;
            let Some(last) = turns.last() else { break };
            before = last.revision;
            for stored in &turns {
                let turn = throughline_runtime::turn_log::Turn::read(stored).map_err(|error| {
                    Failure::new(format!("cannot read the turn {}", stored.log.turn))
                        .because(&error)
                        .code("TL-6203")
                })?;
                told.push(TurnInfo::new(&turn));
            }
        }
        Ok(told)
    }

    pub(crate) fn approvals(&self, all: bool, limit: usize) -> Result<Vec<Approval>, Failure> {
        let store = &self.instance.store;
        let rows =
            self.collect(
                limit,
                |tenant, limit| async move { Ok(store.approvals(&tenant, !all, limit).await?) },
            )?;
        rows.iter().map(|row| self.block_on(views::approval(self.runtime(), row))).collect()
    }

    pub(crate) fn approval(&self, id: &str) -> Result<Approval, Failure> {
        let (store, card) = (&self.instance.store, CardId::from(id));
        let row = self.find("approval", id, "approvals list --all", |tenant| {
            let card = card.clone();
            async move { Ok(store.approval(&tenant, &card).await?) }
        })?;
        self.block_on(views::approval(self.runtime(), &row))
    }

    pub(crate) fn effects(&self, state: Option<&str>, limit: usize) -> Result<Vec<Effect>, Failure> {
        let store = &self.instance.store;
        let state = state.map(effect_state).transpose()?;
        let rows = self.collect(limit, |tenant, limit| async move {
            Ok(store.effects(&tenant, None, state, limit).await?)
        })?;
        self.block_on(views::effects(self.runtime(), &rows))
    }

    pub(crate) fn effect(&self, id: &str) -> Result<Effect, Failure> {
        let (store, name) = (&self.instance.store, EffectId::from(id));
        let row = self.find("effect", id, "effects list", |tenant| {
            let name = name.clone();
            async move { Ok(store.effect(&tenant, &name).await?) }
        })?;
        self.block_on(views::effect(self.runtime(), &row))
    }

    pub(crate) fn pause(&self) -> Result<Pause, Failure> {
        let row = self.block_on(self.instance.store.pause(&self.instance.config.tenant))?;
        Ok(match row {
            None => Pause { paused: false, level: None, by: None, since: None, reason: None },
            Some(row) => Pause {
                paused: true,
                level: Some(if row.everything { "everything" } else { "outward" }.into()),
                by: Some(row.by),
                since: Some(row.since.rfc3339()),
                reason: Some(row.reason),
            },
        })
    }

    pub(crate) fn replay(&self, target: &str, seen: &mut dyn FnMut(usize)) -> Result<Replays, Failure> {
        let (key, only) = if target.starts_with(TurnId::PREFIX) {
            let store = &self.instance.store;
            let stored = self.find("turn", target, "lanes show LANE", |tenant| async move {
                Ok(store.turn(&tenant, &target.into()).await?)
            })?;
            (stored.lane, Some(stored.revision))
        } else {
            (self.stored_lane(target)?.key, None)
        };
        let mut replays = Replays { lane: key.id().0, turns: 0, same: 0, differing: Vec::new() };
        let mut done = 0;
        self.block_on(self.runtime().replay(&key, only.unwrap_or(1), |replayed| {
            done += 1;
            seen(done);
            if only.is_some_and(|only| only != replayed.revision) {
                return;
            }
            replays.turns += 1;
            match views::replay_difference(replayed) {
                None => replays.same += 1,
                Some(turn) => replays.differing.push(turn),
            }
        }))?;
        Ok(replays)
    }
}

fn effect_state(word: &str) -> Result<EffectState, Failure> {
    views::effect_state(word).ok_or_else(|| {
        Failure::usage(format!("there is no effect state {word}"))
            .hint("planned, attempted, done, failed, uncertain or cancelled")
    })
}

fn not_found(what: &str, id: &str, list: &str) -> Failure {
    Failure::new(format!("there is no {what} {id} in this store")).code("TL-2404").hint(format!(
        "`throughline {list}` shows what there is; another store or instance: --config, --server"
    ))
}

/// Words the error of opening an instance, with a hint.
pub(crate) fn not_started(error: &StartError) -> Failure {
    let failure = Failure::new("cannot open the local store").because(error).code(error.code().id());
    match error {
        StartError::Config(errors) => settings::invalid(errors.clone()),
        StartError::Store(StoreError::InUse { .. }) => failure
            .hint(
                "this needs the store for itself: stop the server that has it, and begin it again afterwards",
            )
            .exit(Exit::Unreachable),
        StartError::Store(_) | StartError::Folder { .. } | StartError::Recover(_) => {
            failure.hint(error.code().fix).exit(Exit::Unreachable)
        }
        StartError::Key { .. }
        | StartError::OtherKey { .. }
        | StartError::Password { .. }
        | StartError::Telegram { .. }
        | StartError::Slack { .. }
        | StartError::OpenId { .. }
        | StartError::Model { .. }
        | StartError::Tracker { .. }
        | StartError::Tool { .. }
        | StartError::Webhook { .. }
        | StartError::Mail { .. }
        | StartError::Push { .. } => failure.hint(error.code().fix).exit(Exit::Configuration),
        StartError::Listen { .. } | StartError::WebhookSet { .. } => failure.hint(error.code().fix),
    }
}

/// Words the error of a request to the store.
pub(crate) fn store_failed(error: &RuntimeError) -> Failure {
    let code = match error {
        RuntimeError::Store(StoreError::ReadOnly { .. }) => "TL-6201",
        RuntimeError::Store(StoreError::Replica { .. }) => "TL-6104",
        RuntimeError::Unreadable { .. } | RuntimeError::Store(StoreError::Damaged { .. }) => "TL-6203",
        RuntimeError::Store(_) | RuntimeError::Crash(_) => "TL-6202",
    };
    Failure::new("the store did not answer").because(error).code(code).exit(Exit::Unreachable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_store_cannot_do_has_a_code() {
        let unreadable =
            RuntimeError::Unreadable { what: "a lane head".into(), why: "written by version 9".into() };
        let backend =
            RuntimeError::Store(StoreError::Backend { act: "load a lane", why: "disk I/O error".into() });
        let full = RuntimeError::Store(StoreError::ReadOnly { act: "write", why: "disk full".into() });
        let damaged =
            RuntimeError::Store(StoreError::Damaged { act: "load a lane", why: "malformed".into() });
        for (stop, code, said) in [
            (damaged, "TL-6203", "malformed"),
            (unreadable, "TL-6203", "version 9"),
            (backend, "TL-6202", "disk I/O"),
            (full, "TL-6201", "disk full"),
        ] {
            let failure = store_failed(&stop);
            let told = failure.json();
            assert!(told.contains(code) && told.contains(said), "{told}");
            assert_eq!(failure.exit_code(), Exit::Unreachable);
        }
    }
}
