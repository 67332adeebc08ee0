//! Look-up of the lane that a message of a channel belongs to, where the message itself does not say it.

use throughline_engine::LaneKey;
use throughline_runtime::Keys;
use throughline_store::{Store, StoreError, TokenRow};

/// Maximum number of a message's buttons that are looked up. Our cards have fewer; another bot's may have a hundred.
const MAX_TOKENS: usize = 16;

/// Lane of a message.
pub(crate) struct Found<'l> {
    /// Lane.
    pub(crate) lane: &'l LaneKey,
    /// Button by which it was found; `None` if it was found by the message's id.
    pub(crate) button: Option<TokenRow>,
}

/// Finds the lane among these that knows a message by its id, else the one that showed one of its buttons: a button is known
/// even if the id was not recorded.
pub(crate) async fn lane_of<'l>(
    store: &dyn Store,
    candidates: &'l [LaneKey],
    message: &str,
    tokens: impl IntoIterator<Item = &str>,
) -> Result<Option<Found<'l>>, StoreError> {
    for lane in candidates {
        if store.record(lane, "message", message).await?.is_some() {
            return Ok(Some(Found { lane, button: None }));
        }
    }
    for token in tokens.into_iter().take(MAX_TOKENS) {
        for lane in candidates {
            if let Some(button) = store.token(lane, &Keys::hash(token)).await? {
                return Ok(Some(Found { lane, button: Some(button) }));
            }
        }
    }
    Ok(None)
}
