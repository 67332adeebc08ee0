//! [`KillSwitch`](crate::KillSwitch): kept with a row of the audit chain, obeyed by every mark.

use throughline_engine::data::effect::EffectClass;

use super::Subject;
use super::fixture::{LaneWriter, approval, create, effect, lane, lease, reply};
use crate::{EffectState, Mark, PauseRow};

/// A pause belongs to one tenant; starting and ending it appends a row to the audit chain.
pub async fn the_kill_switch_is_kept(s: &Subject) {
    assert_eq!(s.store.pause("acme").await.unwrap(), None);
    let (by, reason) = ("root".to_owned(), "incident".to_owned());
    let pause = PauseRow { by, since: s.store.now(), reason, everything: true };
    s.store.set_pause("acme", Some(pause.clone()), "paused").await.unwrap();
    assert_eq!(s.store.pause("acme").await.unwrap(), Some(pause));
    assert_eq!(s.store.pause("globex").await.unwrap(), None);
    s.store.set_pause("acme", None, "resumed").await.unwrap();
    assert_eq!(s.store.pause("acme").await.unwrap(), None);
    let rows = s.store.audit("acme", 0, 10).await.unwrap();
    assert_eq!(rows, [(1, "paused".into()), (2, "resumed".into())]);
}

/// Every pause holds outward effects, a pause of everything holds questions to models too, and replies always go out.
pub async fn the_kill_switch_holds_marks(s: &Subject) {
    let mut writer = LaneWriter::claim(&*s.store, &lane("C1")).await;
    writer.open_approval(approval("ap_1", 1, None)).await;
    writer
        .approve(
            "ap_1",
            1,
            vec![create("fx_1", "ap_1", 1), effect("fx_2", EffectClass::ModelAsk, ""), reply("fx_3")],
        )
        .await;
    let leased = lease(&*s.store).await;
    let mark = async |n: usize| {
        let leased = &leased[n];
        s.store.mark("acme", &leased.effect.row.id, leased.fence, &leased.effect.held()).await.unwrap()
    };
    let pause = |everything| {
        let (by, since, reason) = ("root".into(), s.store.now(), "incident".into());
        Some(PauseRow { by, since, reason, everything })
    };
    s.store.set_pause("globex", pause(true), "audit").await.unwrap();
    assert_eq!(mark(1).await, Mark::Attempt(1), "another tenant's");
    s.store.set_pause("acme", pause(false), "audit").await.unwrap();
    assert_eq!(
        (mark(0).await, mark(1).await, mark(2).await),
        (Mark::Paused, Mark::Attempt(2), Mark::Attempt(1))
    );
    s.store.set_pause("acme", pause(true), "audit").await.unwrap();
    assert_eq!((mark(0).await, mark(1).await, mark(2).await), (Mark::Paused, Mark::Paused, Mark::Attempt(2)));
    assert_eq!(writer.effect_state("fx_1").await, EffectState::Planned);
    s.store.set_pause("acme", None, "audit").await.unwrap();
    assert_eq!((mark(0).await, mark(1).await), (Mark::Attempt(1), Mark::Attempt(3)));
}
