//! Calls that follow an acknowledgement: windows, Home, the agent's view. None is a turn's effect: they show what is stored,
//! and what does not arrive can be asked for again.

use throughline_channels::slack::outbound::{self, Call, Target};
use throughline_channels::slack::render::Look;
use throughline_channels::slack::{Answer, Place, Pressed, Workspace, render};
use throughline_engine::data::card::Card;
use throughline_engine::{CardId, LaneKey, Millis};
use throughline_messages as messages;
use throughline_runtime::Runtime;

use super::Adapter;
use super::intake::{Accepted, Then};

/// Time after a press in which a window is opened. Slack forgets the press after three seconds.
const OPENS: Millis = 2_500;
/// Age from which a press is not late, but told by another clock.
const OTHER_CLOCK: Millis = 60_000;

impl Adapter {
    /// Does what a delivery asked for beside its turn.
    pub(crate) async fn follow_up(&self, runtime: &Runtime, accepted: Accepted) {
        match accepted.then {
            Then::Nothing => {}
            Then::Form { workspace, form, pressed, member } => {
                let place = Target { channel: &form.place.channel, thread: &form.place.thread };
                let view = render::form(&form, self.language_of(&workspace, &member));
                self.open_view(&workspace, place, &pressed, &member, &view).await;
            }
            Then::Whole { workspace, lane, card, pressed, member } => {
                self.show_whole(runtime, &workspace, &lane, &card, &pressed, &member).await;
            }
            Then::Home { workspace, member, cleared } => {
                self.show_home(runtime, &workspace, &member, cleared.as_deref()).await;
            }
            Then::Welcome { workspace, place, member } => self.welcome(&workspace, &place, &member).await,
        }
    }

    /// Opens a window for whoever pressed, if there is still time; else asks them to press again.
    async fn open_view(
        &self,
        workspace: &Workspace,
        place: Target<'_>,
        pressed: &Pressed,
        member: &str,
        view: &serde_json::Value,
    ) {
        let age = pressed.at.map_or(0, |at| self.now().0 - at);
        let late = (OPENS..OTHER_CLOCK).contains(&age);
        if !late {
            match self.client().call(&workspace.token, &outbound::open_view(&pressed.trigger, view)).await {
                Answer::TriggerOver => {}
                Answer::Applied(_) => return,
                answer => {
                    tracing::warn!(?answer, "a window was not opened");
                }
            }
        }
        self.tell(
            workspace,
            place,
            member,
            &messages::slack_press_again(self.language_of(workspace, member)),
        )
        .await;
    }

    /// Tells one person something, beside what the lane says.
    async fn tell(&self, workspace: &Workspace, place: Target<'_>, member: &str, text: &str) {
        for part in render::reply(text).iter().take(1) {
            self.signal(workspace, &outbound::post_ephemeral(place, member, part)).await;
        }
    }

    async fn show_whole(
        &self,
        runtime: &Runtime,
        workspace: &Workspace,
        lane: &LaneKey,
        card: &CardId,
        pressed: &Pressed,
        member: &str,
    ) {
        let Ok(loaded) = runtime.lane(lane).await else { return };
        let Some(card) = loaded.records.get::<Card>(card) else { return };
        let Ok(model) = runtime.card_model(&loaded, card).await else { return };
        let language = self.language_of(workspace, member);
        let (model, look) = self.channel.look(lane, &model).await;
        let look = Look { language, ..look };
        let place = Target { channel: &lane.conversation, thread: &lane.thread };
        if let Some(view) = render::full_view(&model, &look) {
            return self.open_view(workspace, place, pressed, member, &view).await;
        }
        let said = match self.upload(workspace, place, &model.title, render::full_text(&model, &look)).await {
            Ok(()) => messages::slack_whole_as_file(language),
            Err(why) => {
                tracing::warn!(why, "a card's text was not uploaded");
                messages::slack_no_file(language)
            }
        };
        self.tell(workspace, place, member, &said).await;
    }

    /// Puts a text into a thread as a file.
    async fn upload(
        &self,
        workspace: &Workspace,
        place: Target<'_>,
        title: &str,
        text: String,
    ) -> Result<(), String> {
        let told =
            self.client().call(&workspace.token, &outbound::upload_address("card.txt", text.len())).await;
        let Answer::Applied(told) = told else { return Err(format!("{told:?}")) };
        let (Some(address), Some(file)) = (told["upload_url"].as_str(), told["file_id"].as_str()) else {
            return Err("Slack named no place for the file".into());
        };
        self.client().upload(address, text.into_bytes()).await?;
        match self.client().call(&workspace.token, &outbound::share_file(place, file, title)).await {
            Answer::Applied(_) => Ok(()),
            answer => Err(format!("{answer:?}")),
        }
    }

    /// Shows what can be asked, in a thread of the agent's view that was just opened.
    async fn welcome(&self, workspace: &Workspace, place: &Place, member: &str) {
        let language = self.language_of(workspace, member);
        let prompts = [
            messages::slack_suggest_ticket(language),
            messages::slack_suggest_review(language),
            messages::slack_suggest_open(language),
        ];
        let to = Target { channel: &place.channel, thread: &place.thread };
        let title = messages::slack_suggest_title(language);
        self.signal(workspace, &outbound::suggest(to, &title, &prompts)).await;
    }

    /// Makes a call whose loss does no harm: it is counted.
    pub(super) async fn signal(&self, workspace: &Workspace, call: &Call) {
        let answer = self.client().call(&workspace.token, call).await;
        let arrived = matches!(answer, Answer::Applied(_) | Answer::Already);
        if !arrived {
            tracing::debug!(?answer, method = call.method, "a signal did not arrive");
        }
        let outcome = if arrived { "done" } else { "dropped" };
        ::metrics::counter!("throughline_effects_total", "class" => "signal", "outcome" => outcome)
            .increment(1);
    }
}
