//! Questions that a thread waits for, for one person: those that block it for them, and the others.

use serde_json::{Map, Value, json};
use throughline_channels::agui::{Interrupt, InterruptReason};
use throughline_channels::direction::steadied;
use throughline_engine::data::action::Action;
use throughline_engine::data::card::Card;
use throughline_engine::data::card_model::CardModel;
use throughline_engine::data::lane::Lane;
use throughline_engine::data::pending::{PendingKind, PendingState};
use throughline_store::{ApprovalRow, ApprovalState};

use super::thread::Thread;
use crate::access::{self, Access, Act};
use crate::app::App;
use crate::approver_rules::{ApproverStanding, standing};
use crate::auth::Caller;
use crate::problem::Problem;
use crate::wire;

/// Questions that a thread waits for.
pub(super) struct Waiting {
    /// Questions for this person, oldest first.
    pub(super) open: Vec<Open>,
    /// Everything else, which no interrupt answers.
    pub(super) others: Vec<wire::Pending>,
}

/// Question that this person can answer.
pub(super) struct Open {
    /// Card, as it is shown.
    pub(super) model: CardModel,
    /// Card.
    pub(super) card: Card,
    /// Kind of answer.
    pub(super) asks: Asks,
    /// True if somebody left it in this thread.
    pub(super) left: bool,
}

/// Kind of answer to a question.
pub(super) enum Asks {
    /// Release of what the approval holds, or its refusal.
    Approval(Box<ApprovalRow>),
    /// One of these actions. Its row, if the store keeps an approval of the card.
    Choice(Vec<Action>, Option<Box<ApprovalRow>>),
}

/// Returns the id of a card's interrupt: an edited card is another interrupt.
pub(super) fn interrupt_id(card: &str, version: u32) -> String {
    format!("{card}.v{version}")
}

/// Splits the id of an interrupt into card and version.
pub(super) fn card_and_version(id: &str) -> Option<(&str, u32)> {
    let (card, version) = id.rsplit_once(".v")?;
    let number: u32 = version.parse().ok()?;
    (number.to_string() == version).then_some((card, number))
}

impl Waiting {
    /// Returns what a lane waits for, for a person.
    pub(super) async fn of(
        app: &App,
        caller: &Caller,
        actor: &str,
        lane: &Lane,
        thread: &Thread,
    ) -> Result<Self, Problem> {
        let mut waiting = Self { open: Vec::new(), others: Vec::new() };
        for pending in &lane.head.pendings {
            match open(app, caller, actor, lane, pending).await? {
                Some((card, model, asks)) => {
                    let left = thread.left.contains(&interrupt_id(&card.id.0, card.version));
                    waiting.open.push(Open { model, card, asks, left });
                }
                None => waiting.others.push(pending.into()),
            }
        }
        Ok(waiting)
    }

    /// Returns the questions that block the thread.
    pub(super) fn blocking(&self) -> impl Iterator<Item = &Open> {
        self.open.iter().filter(|open| !open.left)
    }

    /// Returns them as they are sent.
    pub(super) fn interrupts(&self) -> Vec<Interrupt> {
        self.blocking().map(Open::interrupt).collect()
    }
}

async fn open(
    app: &App,
    caller: &Caller,
    actor: &str,
    lane: &Lane,
    pending: &PendingState,
) -> Result<Option<(Card, CardModel, Asks)>, Problem> {
    let choice = match &pending.kind {
        PendingKind::WaitingApproval { .. } => false,
        PendingKind::WaitingScopeChoice { .. }
        | PendingKind::WaitingQuantityConfirm { .. }
        | PendingKind::WaitingSizeConfirm { .. }
        | PendingKind::WaitingUncertainEffect { .. } => true,
        _ => return Ok(None),
    };
    let Some(card) = pending.kind.card().and_then(|id| lane.records.get::<Card>(id)) else { return Ok(None) };
    let late = card.expires_at.is_some_and(|end| app.store().now() > end);
    if late || !card.is_open() {
        return Ok(None);
    }
    let row = if card.is_approval() { decidable(app, caller, actor, card).await? } else { None };
    let own = card.by == actor;
    let answers = match &pending.kind {
        PendingKind::WaitingApproval { .. } | PendingKind::WaitingUncertainEffect { .. } => row.is_some(),
        // Such a confirmation releases nothing; the approval after it is for an approver.
        PendingKind::WaitingScopeChoice { .. } => own,
        _ => own || row.is_some(),
    };
    if !answers {
        return Ok(None);
    }
    let model = app.runtime().card_model(lane, card).await?;
    let offered = actions(&model);
    let asks = match row {
        Some(row) if !choice => {
            if !offered.contains(&Action::Approve) {
                return Ok(None);
            }
            Asks::Approval(Box::new(row))
        }
        row => Asks::Choice(offered, row.map(Box::new)),
    };
    Ok(Some((card.clone(), model, asks)))
}

/// Returns the actions that one answer can take: no toggles, and no forms but the key of an issue.
fn actions(model: &CardModel) -> Vec<Action> {
    let alone = |action: &Action| {
        !matches!(
            action,
            Action::Edit
                | Action::EditStory
                | Action::AddStory
                | Action::RemoveStory
                | Action::Remember
                | Action::Forget
                | Action::ShowFull
        )
    };
    let free = model.buttons.iter().filter(|button| button.blocked.is_none());
    free.map(|button| button.action).filter(alone).collect()
}

/// Returns the approval of a card, if it waits and the caller may decide it as this person.
async fn decidable(
    app: &App,
    caller: &Caller,
    actor: &str,
    card: &Card,
) -> Result<Option<ApprovalRow>, Problem> {
    let Some(row) = app.store().approval(&caller.tenant, &card.id).await? else { return Ok(None) };
    if row.state != ApprovalState::Pending {
        return Ok(None);
    }
    Ok(may_decide(app, caller, actor, &row).await?.then_some(row))
}

/// Returns true if the caller may decide an approval as this person.
pub(super) async fn may_decide(
    app: &App,
    caller: &Caller,
    actor: &str,
    row: &ApprovalRow,
) -> Result<bool, Problem> {
    if access::access_to_approval(app, caller, Act::DecideApproval, row).await? != Access::Allowed {
        return Ok(false);
    }
    let person = app.runtime().ports().directory.actor(&row.lane, actor).await;
    Ok(standing(app.runtime().policy(), &person, &row.approval) == ApproverStanding::May)
}

impl Open {
    /// Returns the id of its interrupt.
    pub(super) fn id(&self) -> String {
        interrupt_id(&self.card.id.0, self.card.version)
    }

    /// Returns it as it is sent.
    pub(super) fn interrupt(&self) -> Interrupt {
        let (reason, tool_call_id) = match &self.asks {
            Asks::Approval(_) => (InterruptReason::ToolCall, Some(self.card.id.0.clone())),
            Asks::Choice(..) => (InterruptReason::InputRequired, None),
        };
        Interrupt {
            id: self.id(),
            reason,
            message: steadied(self.model.title.clone()),
            tool_call_id,
            response_schema: self.schema(),
            expires_at: self.card.expires_at.map(|end| end.rfc3339()),
            metadata: self.metadata(),
        }
    }

    fn schema(&self) -> Value {
        let (mut properties, required) = match &self.asks {
            Asks::Approval(_) => (json!({"approved": {"type": "boolean"}}), "approved"),
            Asks::Choice(actions, _) => {
                let words: Vec<&str> = actions.iter().map(|action| action.as_str()).collect();
                (json!({"action": {"type": "string", "enum": words}}), "action")
            }
        };
        if self.takes_key() {
            properties["key"] =
                json!({"type": "string", "description": "For adopt: the key of the issue that exists"});
        }
        json!({"type": "object", "properties": properties, "required": [required], "additionalProperties": false})
    }

    fn takes_key(&self) -> bool {
        matches!(&self.asks, Asks::Choice(actions, _) if actions.contains(&Action::Adopt))
    }

    fn metadata(&self) -> Value {
        let labels =
            self.model.buttons.iter().map(|button| {
                (button.action.as_str().to_owned(), Value::from(steadied(button.label.clone())))
            });
        let mut metadata = json!({
            "card": self.card.id, "step": self.model.step, "version": self.card.version,
            "labels": labels.collect::<Map<_, _>>(),
        });
        if let Asks::Approval(row) | Asks::Choice(_, Some(row)) = &self.asks {
            metadata["hash"] = row.approval.payload_sha256.clone().into();
        }
        metadata
    }

    /// Reads the payload of an answer.
    ///
    /// # Errors
    /// The fault of the payload, in words.
    pub(super) fn read(&self, payload: &Value) -> Result<Chosen, String> {
        let Some(members) = payload.as_object() else { return Err("the payload is an object".into()) };
        let known = |name: &String| match &self.asks {
            Asks::Approval(_) => name == "approved",
            Asks::Choice(..) => name == "action" || (name == "key" && self.takes_key()),
        };
        if let Some(other) = members.keys().find(|name| !known(name)) {
            return Err(format!("the payload has no member {other:?}"));
        }
        match &self.asks {
            Asks::Approval(_) => match members.get("approved") {
                Some(Value::Bool(true)) => Ok(Chosen::Press(Action::Approve)),
                Some(Value::Bool(false)) => Ok(Chosen::Press(self.refusal())),
                _ => Err("the payload says `approved`, true or false".into()),
            },
            Asks::Choice(actions, _) => {
                let word = members.get("action").and_then(Value::as_str).unwrap_or_default();
                let chosen = actions.iter().copied().find(|action| action.as_str() == word);
                let key = members.get("key").map(|key| key.as_str().map(str::trim).unwrap_or_default());
                match (chosen, key) {
                    (None, _) => {
                        let words: Vec<&str> = actions.iter().map(|action| action.as_str()).collect();
                        Err(format!("`action` is one of {}", words.join(", ")))
                    }
                    (Some(Action::Adopt), None | Some("")) => {
                        Err("to adopt, `key` names the issue that exists".into())
                    }
                    (Some(Action::Adopt), Some(key)) => Ok(Chosen::Adopt(key.to_owned())),
                    (Some(_), Some(_)) => Err("only adopt has a `key`".into()),
                    (Some(action), None) => Ok(Chosen::Press(action)),
                }
            }
        }
    }

    /// Returns the action that refuses it.
    fn refusal(&self) -> Action {
        if self.offers(Action::Reject) { Action::Reject } else { Action::Cancel }
    }

    fn offers(&self, action: Action) -> bool {
        self.model.buttons.iter().any(|button| button.action == action && button.blocked.is_none())
    }

    /// Returns the action with which this person gives it up, if they are the one who asked for it. What may have happened
    /// outside is never settled by leaving.
    pub(super) fn giving_up(&self, actor: &str) -> Option<Action> {
        let unsure = self.offers(Action::CreateAgain) || self.offers(Action::DoAgain);
        let asker = match &self.asks {
            Asks::Approval(row) | Asks::Choice(_, Some(row)) => row.approval.requested_by == actor,
            Asks::Choice(_, None) => self.card.by == actor,
        };
        let ways = [Action::Cancel, Action::Reject, Action::Dismiss];
        ways.into_iter().find(|way| self.offers(*way)).filter(|_| asker && !unsure)
    }

    /// Returns the token of a button.
    pub(super) fn token(&self, action: Action) -> Option<String> {
        self.model.buttons.iter().find(|button| button.action == action)?.token.clone()
    }
}

/// Answer that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    /// A button.
    Press(Action),
    /// An issue that exists, by its key.
    Adopt(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_a_card_at_a_version() {
        assert_eq!(card_and_version(&interrupt_id("ap_x_1_2", 3)), Some(("ap_x_1_2", 3)));
        for wrong in ["", "ap_1", "ap_1.v", "ap_1.v-1", "ap_1.v01", "ap_1.v1 ", "ap_1.v99999999999"] {
            assert_eq!(card_and_version(wrong), None, "{wrong}");
        }
    }
}
