//! Steps and messages for an instruction counter, without clock or threads, so that every run is alike.

use std::sync::Arc;

use anyhow::Context;
use throughline_store::{ManualClock, MemoryStore};
use tokio::runtime::Runtime as Executor;

use crate::figures::b4_step::{Case, counted};
use crate::load::{Bench, Delivered, Kind, Talk, lane};

/// The number of counted steps of a case that is short.
pub(crate) const STEPS: u64 = 200;

/// Messages before the counted ones: enough that older ones are folded.
const BEFORE: u64 = 40;

/// Messages that are counted.
const MESSAGES: u64 = 66;

/// One thing that is done several times.
enum Counted {
    Step(Box<Case>),
    Message(Kind, &'static str),
}

/// A lane over a store in memory, on one thread.
struct Conversation {
    executor: Executor,
    // Its loops end with the executor.
    _bench: Bench,
    talk: Talk,
    kind: Kind,
}

impl Conversation {
    fn begin(kind: Kind) -> anyhow::Result<Self> {
        let executor = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (bench, talk) = executor.block_on(async {
            let clock = ManualClock::at(throughline_engine::Timestamp(0));
            let bench = Bench::over(Arc::new(MemoryStore::new(Arc::new(clock))), Delivered::ByCommit);
            let talk = bench.talk(lane(0));
            (bench, talk)
        });
        Ok(Self { executor, _bench: bench, talk, kind })
    }

    fn go(&self, messages: u64) -> anyhow::Result<()> {
        self.executor.block_on(async {
            for _ in 0..messages {
                self.kind.go(&self.talk).await?;
            }
            Ok(())
        })
    }
}

fn all() -> impl Iterator<Item = Counted> {
    let messages = [
        (
            Kind::Reply,
            "a message that is answered with a reply, from intake to commit, over a store in memory",
        ),
        (Kind::Gate, "a message that ends at the gate, from intake to commit, over a store in memory"),
    ];
    let messages = messages.into_iter().map(|(kind, name)| Counted::Message(kind, name));
    counted().into_iter().map(|case| Counted::Step(Box::new(case))).chain(messages)
}

/// Prints the list of cases, one line each: number, steps, name.
pub(crate) fn list() {
    for (n, case) in all().enumerate() {
        let (steps, name) = match &case {
            Counted::Step(case) => (case.steps, case.name.as_str()),
            Counted::Message(_, name) => (MESSAGES, *name),
        };
        crate::print(&format!("{n}\t{steps}\t{name}"));
    }
}

/// Runs one case. `cargo xtask bench count` makes the counter look at [`counted_steps`] alone.
pub(crate) fn run(which: usize) -> anyhow::Result<()> {
    match all().nth(which).with_context(|| format!("there are {} to count", all().count()))? {
        Counted::Step(case) => {
            // One step before, so that lazily made values are not counted.
            case.go();
            counted_steps(&mut || (0..case.steps).for_each(|_| case.go()));
        }
        Counted::Message(kind, _) => {
            let conversation = Conversation::begin(kind)?;
            conversation.go(BEFORE)?;
            let mut done = Ok(());
            counted_steps(&mut || done = conversation.go(MESSAGES));
            done?;
        }
    }
    Ok(())
}

#[inline(never)]
fn counted_steps(work: &mut dyn FnMut()) {
    work();
}
