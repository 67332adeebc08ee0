//! Answers of HTTP requests, kept by `Idempotency-Key` so that a repeated request gets the first answer.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{Forgotten, StoreError};

/// Requests and the answers they got.
#[async_trait]
pub trait Requests {
    /// Claims an `Idempotency-Key` for a route that delivers no event. Returns `None` for a new key, and otherwise the
    /// body hash it was claimed with and its answer, if it has one yet.
    async fn begin_request(
        &self,
        tenant: &str,
        key: &str,
        body_hash: &str,
    ) -> Result<Option<(String, Option<StoredResponse>)>, StoreError>;

    /// Stores the answer of a request. `key` is any key of a delivery, or one that [`Self::begin_request`] claimed; an
    /// unknown one is refused.
    async fn store_response(
        &self,
        tenant: &str,
        key: &str,
        response: StoredResponse,
    ) -> Result<(), StoreError>;

    /// Forgets the answers of deliveries that were forgotten. Looks at up to `limit` answers behind `after`, in the order of
    /// their keys.
    async fn forget_answers(
        &self,
        tenant: &str,
        after: Option<&str>,
        limit: u32,
    ) -> Result<Forgotten, StoreError>;
}

/// The answer that an HTTP request got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// The status code.
    pub status: u16,
    /// The body.
    pub body: String,
}
