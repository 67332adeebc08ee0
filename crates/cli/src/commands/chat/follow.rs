//! Prints what others do in a conversation while a person types.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use rustyline::ExternalPrinter;
use serde_json::Value;
use throughline_server::wire::LaneEvents;

use super::screen::Screen;
use super::views;
use crate::api::Remote;
use crate::error::Failure;

/// The pause before a server that does not answer is asked again.
const PAUSE: Duration = Duration::from_secs(2);
/// Seconds that a server waits for something to happen before it answers.
const WAIT: u64 = 20;

/// The printer above the line that is being typed.
pub(super) type Printer = Box<dyn ExternalPrinter + Send>;

/// Follows a lane until the process ends.
pub(super) fn follow(remote: Remote, lane: String, screen: Arc<Mutex<Screen>>, mut printer: Printer) {
    thread::spawn(move || {
        let mut after = String::from("0");
        loop {
            match news(&remote, &lane, &mut after) {
                Ok(false) => {}
                // Whoever sends keeps the screen until the answer is printed, so nothing is printed twice.
                Ok(true) => {
                    let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
                    let Ok(messages) = messages(&remote, &lane) else { continue };
                    for text in screen.render_changes(&messages) {
                        if printer.print(format!("{text}\n\n")).is_err() {
                            return;
                        }
                    }
                }
                Err(_) => thread::sleep(PAUSE),
            }
        }
    });
}

/// Waits until something happened after a position, and moves the position on.
fn news(remote: &Remote, lane: &str, after: &mut String) -> Result<bool, Failure> {
    let told: LaneEvents = remote.get(&format!("/v1/lanes/{lane}/events?after={after}&wait={WAIT}"))?;
    let last = told.items.into_iter().filter_map(|event| event.id).next_back();
    let happened = last.is_some();
    *after = last.unwrap_or_else(|| after.clone());
    Ok(happened)
}

/// Returns the messages of a lane as they are now.
pub(super) fn messages(
    remote: &Remote,
    lane: &str,
) -> Result<Vec<throughline_channels::api::MessageView>, Failure> {
    let lane: Value = remote.get(&format!("/v1/lanes/{lane}"))?;
    views(&lane["messages"])
}
