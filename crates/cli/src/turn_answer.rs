//! Prints the turn that an approval or the resolution of an effect caused.

use throughline_channels::terminal::safe;
use throughline_server::wire::TurnAnswer;

use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;

/// Prints what the decision about `id` did. A refused decision is a failure.
pub(crate) fn print(app: &App, id: &str, answer: &TurnAnswer) -> Outcome {
    if app.out.is_json() {
        app.out.value(answer)?;
    } else {
        for message in &answer.messages {
            let title = message.card.as_ref().map_or(message.text.as_str(), |card| card.title.as_str());
            app.out.line(&safe(title))?;
        }
        let why = app.command(&format!("why {}", answer.turn));
        app.out.note(&format!("{id}: {} ({why})", answer.reason));
    }
    if answer.decision == "refused" {
        return Err(Failure::new(format!("{id} was not decided"))
            .why(answer.reason.clone())
            .exit(Exit::Refused));
    }
    Ok(Exit::Ok)
}
