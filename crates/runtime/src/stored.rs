//! Decodes the values that a store keeps as text. Each failure is [`RuntimeError::Unreadable`].

use throughline_engine::data::effect::EffectBody;
use throughline_engine::data::record::Record;
use throughline_engine::data::snapshot;
use throughline_store::{StoredEffect, StoredTurn};

use crate::RuntimeError;
use crate::turn_log::Turn;

pub(crate) fn record(stored: &str) -> Result<Record, RuntimeError> {
    snapshot::decode_record(stored).map_err(|e| RuntimeError::unreadable("a lane record", &e.to_string()))
}

pub(crate) fn turn(stored: &StoredTurn) -> Result<Turn, RuntimeError> {
    Turn::read(stored).map_err(|e| RuntimeError::unreadable("a turn row", &e.to_string()))
}

pub(crate) fn effect_body(effect: &StoredEffect) -> Result<EffectBody, RuntimeError> {
    serde_json::from_str(&effect.row.payload)
        .map_err(|e| RuntimeError::unreadable("a stored effect", &e.to_string()))
}
