//! Following a clock that was set back.

use throughline_engine::Millis;

use super::error::TxError;
use super::outbox::NEVER;
use super::session::Tx;

/// Moves what waits for a later time back with the clock. What began in the future begins now.
pub(super) async fn set_back(tx: &Tx, by: Millis) -> Result<(), TxError> {
    let effects = "UPDATE outbox SET created_at = least($2, created_at), \
        deadline = CASE WHEN deadline > $2 THEN greatest($2, deadline - $3) ELSE deadline END, \
        not_before = CASE WHEN not_before > $2 THEN greatest($2, not_before - $3) ELSE not_before END, \
        wake = CASE WHEN wake > $2 AND wake <> $4 THEN greatest($2, wake - $3) ELSE wake END \
        WHERE tenant = $1 AND wake IS NOT NULL";
    tx.execute(effects, &[&tx.tenant, &tx.now.0, &by, &NEVER]).await?;
    let timers = "UPDATE timers SET due = greatest($2, due - $3) WHERE tenant = $1 AND due > $2";
    tx.execute(timers, &[&tx.tenant, &tx.now.0, &by]).await?;
    let inbox = "UPDATE inbox SET received_at = $2 WHERE tenant = $1 AND received_at > $2";
    tx.execute(inbox, &[&tx.tenant, &tx.now.0]).await?;
    Ok(())
}
