//! Access to lanes: one function decides for every route what a caller may do, by their scopes and by how they stand to
//! the lane. The table in `docs/configuration.md` is made from it. Reasons: `docs/design/0033-access-and-limits.md`.

pub mod table;

use throughline_channels::{slack, telegram};
use throughline_engine::LaneKey;
use throughline_store::{ApprovalRow, StoreError};

use crate::app::App;
use crate::approver_rules;
use crate::auth::{Caller, Scope, owner};
use crate::problem::Problem;
use crate::web_channel::CHANNEL;

/// Act on a lane or on something in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Reading a lane: its messages, turns and reasons.
    ReadLane,
    /// Reading what a model would be told.
    ReadContext,
    /// Stating or taking back a fact outside of a message.
    StateFact,
    /// Delivering what people say, press and fill in.
    Write,
    /// Describing a screen: lists of options and the focus.
    Describe,
    /// Speaking as the assistant.
    SpeakAsAssistant,
    /// Saying how a task stands.
    ReportTask,
    /// Reading approvals.
    ReadApproval,
    /// Deciding an approval by its id.
    DecideApproval,
    /// Reading effects.
    ReadEffect,
    /// Reporting what became of an effect that a host performed.
    ReportEffect,
    /// Saying what became of an uncertain effect.
    ResolveEffect,
}

/// Lanes that an act reaches for a caller whose scope allows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Lanes in which the caller takes part.
    Own,
    /// Lanes in which the caller takes part, and those that a program may join.
    Joining,
    /// Lanes in which the caller takes part, and approvals that a rule lets them decide.
    Ruled,
    /// Every lane of the tenant; for a program, of its app.
    Tenant,
}

impl Act {
    /// Every act, in the order of the documentation.
    pub const ALL: [Self; 12] = [
        Self::ReadLane,
        Self::ReadContext,
        Self::StateFact,
        Self::Write,
        Self::Describe,
        Self::SpeakAsAssistant,
        Self::ReportTask,
        Self::ReadApproval,
        Self::DecideApproval,
        Self::ReadEffect,
        Self::ReportEffect,
        Self::ResolveEffect,
    ];

    /// Returns the scope that the act needs.
    #[must_use]
    pub fn scope(self) -> Scope {
        match self {
            Self::ReadLane => Scope::LanesRead,
            Self::ReadContext => Scope::ContextRead,
            Self::StateFact => Scope::FactsWrite,
            Self::Write => Scope::EventsWrite,
            Self::Describe => Scope::OptionsWrite,
            Self::SpeakAsAssistant => Scope::AssistantWrite,
            Self::ReportTask => Scope::TasksReport,
            Self::ReadApproval => Scope::ApprovalsRead,
            Self::DecideApproval => Scope::ApprovalsDecide,
            Self::ReadEffect => Scope::EffectsRead,
            Self::ReportEffect => Scope::EffectsReport,
            Self::ResolveEffect => Scope::EffectsResolve,
        }
    }

    fn reach(self) -> Reach {
        match self {
            Self::ReadLane | Self::ReadContext | Self::StateFact => Reach::Own,
            Self::Write | Self::Describe => Reach::Joining,
            Self::ReadApproval | Self::DecideApproval => Reach::Ruled,
            Self::SpeakAsAssistant
            | Self::ReportTask
            | Self::ReadEffect
            | Self::ReportEffect
            | Self::ResolveEffect => Reach::Tenant,
        }
    }
}

/// Relation of a caller to a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// A web conversation of their own.
    Owner,
    /// A lane in which they did something that was neither refused nor ignored.
    TookPart,
    /// A name under which there is no lane yet.
    New,
    /// A lane of others that has no owner: a room of a host.
    Shared,
    /// A web conversation of somebody else.
    Private,
    /// A lane of others, asked for by an approval of it that a rule lets the caller decide.
    Ruled,
    /// A lane of another app of the tenant, for a program.
    OtherApp,
    /// A lane of another tenant.
    OtherTenant,
}

impl Relation {
    /// Every relation, in the order of the documentation.
    pub const ALL: [Self; 8] = [
        Self::Owner,
        Self::TookPart,
        Self::New,
        Self::Shared,
        Self::Private,
        Self::Ruled,
        Self::OtherApp,
        Self::OtherTenant,
    ];
}

/// Answer to whether somebody may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// They may.
    Allowed,
    /// They lack the scope, and are told so.
    Forbidden,
    /// They are told what they would be told if there were no such lane.
    Hidden,
}

impl Caller {
    /// Decides whether the caller may do something to a lane.
    #[must_use]
    pub fn access(&self, act: Act, relation: Relation) -> Access {
        if !self.may(act.scope()) {
            return Access::Forbidden;
        }
        let reaches = match relation {
            Relation::OtherTenant => false,
            Relation::OtherApp if !self.is_person() => false,
            _ if act.reach() == Reach::Tenant || self.stands_for_everybody() => true,
            Relation::Owner | Relation::TookPart => true,
            Relation::New | Relation::Shared => act.reach() == Reach::Joining && !self.is_person(),
            Relation::Ruled => act.reach() == Reach::Ruled,
            Relation::Private | Relation::OtherApp => false,
        };
        if reaches { Access::Allowed } else { Access::Hidden }
    }

    /// Returns true if the caller reads every lane of the tenant, or may act for anybody, which amounts to it.
    #[must_use]
    pub fn stands_for_everybody(&self) -> bool {
        self.may(Scope::LanesReadAll) || self.may(Scope::ActAs)
    }

    /// Returns the relations that a lane of this name can have to the caller. What a bot hears on Telegram or
    /// Slack belongs to the app `ours` of the installation; the lane's own app is the bot.
    fn relations(&self, lane: &LaneKey, ours: &str) -> &'static [Relation] {
        let of_bot = [telegram::CHANNEL, slack::CHANNEL].contains(&lane.channel.as_str());
        let its_app = lane.app == self.app || (of_bot && self.app == ours);
        let owner = owner(&lane.conversation).filter(|_| lane.channel == CHANNEL);
        match owner {
            _ if lane.tenant != self.tenant => &[Relation::OtherTenant],
            _ if !its_app && !self.is_person() => &[Relation::OtherApp],
            Some(owner) if owner == self.principal && lane.app == self.app => &[Relation::Owner],
            Some(_) => &[Relation::TookPart, Relation::Private],
            None => &[Relation::TookPart, Relation::New, Relation::Shared],
        }
    }
}

/// Returns the relation of the caller to a lane.
async fn relation(app: &App, caller: &Caller, lane: &LaneKey) -> Result<Relation, StoreError> {
    let possible = caller.relations(lane, &app.config().app);
    if let [only] = possible {
        return Ok(*only);
    }
    if app.store().took_part(lane, &caller.principal).await? {
        return Ok(Relation::TookPart);
    }
    if possible.contains(&Relation::Private) {
        return Ok(Relation::Private);
    }
    let there = app.store().lane(&lane.tenant, &lane.id()).await?.is_some();
    Ok(if there { Relation::Shared } else { Relation::New })
}

/// Decides whether the caller may do something to a lane. The store is asked only if the answer depends on it.
pub(crate) async fn access(
    app: &App,
    caller: &Caller,
    act: Act,
    lane: &LaneKey,
) -> Result<Access, StoreError> {
    let possible = caller.relations(lane, &app.config().app);
    let mut answers = possible.iter().map(|relation| caller.access(act, *relation));
    let first = answers.next().unwrap_or(Access::Hidden);
    if answers.all(|answer| answer == first) {
        return Ok(first);
    }
    Ok(caller.access(act, relation(app, caller, lane).await?))
}

/// Decides whether the caller may do something to an approval: as to its lane, or because a rule names them.
pub(crate) async fn access_to_approval(
    app: &App,
    caller: &Caller,
    act: Act,
    row: &ApprovalRow,
) -> Result<Access, StoreError> {
    let access = access(app, caller, act, &row.lane).await?;
    let ruled = access == Access::Hidden
        && reaches_app(app, caller, &row.lane)
        && caller.access(act, Relation::Ruled) == Access::Allowed
        && approver_rules::names(app, caller, row).await;
    Ok(if ruled { Access::Allowed } else { access })
}

/// Returns true unless the lane is of another tenant, or the caller is a program of another app.
pub(crate) fn reaches_app(app: &App, caller: &Caller, lane: &LaneKey) -> bool {
    let relations = caller.relations(lane, &app.config().app);
    !matches!(relations, [Relation::OtherTenant | Relation::OtherApp])
}

/// Returns true if the caller may do something to a lane.
pub(crate) async fn allows(app: &App, caller: &Caller, act: Act, lane: &LaneKey) -> Result<bool, StoreError> {
    Ok(access(app, caller, act, lane).await? == Access::Allowed)
}

/// Checks that the caller may do something to a lane; `what` names what they asked for.
///
/// # Errors
///
/// The caller lacks the scope, or is told that there is no such thing.
pub(crate) async fn check(
    app: &App,
    caller: &Caller,
    act: Act,
    lane: &LaneKey,
    what: &str,
) -> Result<(), Problem> {
    answer(access(app, caller, act, lane).await?, caller, act, what)
}

/// Returns the problem with which access is denied.
pub(crate) fn answer(access: Access, caller: &Caller, act: Act, what: &str) -> Result<(), Problem> {
    match access {
        Access::Allowed => Ok(()),
        Access::Forbidden => caller.need(act.scope()),
        Access::Hidden => Err(Problem::not_found(what)),
    }
}
