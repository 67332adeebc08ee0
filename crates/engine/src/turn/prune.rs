//! Unloading at the end of a turn: the loaded records are held within policy. What leaves stays in the
//! store.

use crate::data::message::Message;
use crate::data::ticket::Draft;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use crate::data::batch::Batch;
use crate::data::card::{Card, CardSubject};
use crate::data::event::EventKind;
use crate::data::id::{BatchId, CardId, DraftId, MessageId, ProposalId, ReviewId, TaskId};
use crate::data::pending::{PendingClass, PendingKind, PendingState};

use crate::data::option_set::OptionSet;
use crate::data::proposal::Proposal;
use crate::data::record::{Loaded, Record, RecordKey, RecordKind};
use crate::data::review::{Review, ReviewStatus};
use crate::turn::Turn;

impl Turn<'_> {
    /// Records the moment if a question for words or a gate waits no more, answered or replaced.
    fn note_what_left(&mut self) {
        // Words meant for what left can be taken up by a list that is there; without one nothing takes them, and turns that
        // were recorded before lead to the same state.
        let listed = self.lane.records.all::<OptionSet>().next().is_some();
        if !listed || matches!(self.event.kind, EventKind::Erasure(_)) {
            return;
        }
        let class = |pending: &&PendingState| pending.kind.class() == PendingClass::Conversational;
        let before = self.lane.head.pendings.iter().filter(class).chain(&self.lane.head.lapsed);
        let now: Vec<&PendingState> = self.head.pendings.iter().chain(&self.head.lapsed).collect();
        let asked = before.into_iter().any(|pending| !now.iter().any(|known| known.id == pending.id));
        let waits = |card: &Card| card.is_open() && matches!(card.about, CardSubject::ScopeGate { .. });
        let mut gates = self.lane.records.all::<Card>().filter(|card| waits(card));
        if asked || gates.any(|gate| !self.get::<Card>(&gate.id).is_some_and(waits)) {
            self.head.left_at = Some(self.now());
        }
    }

    /// Unloads the oldest cards and messages beyond what policy allows, then the records nothing loaded
    /// needs any more.
    pub(super) fn prune(&mut self) {
        self.note_what_left();
        self.readmit();
        while self.head.cards.len() > self.policy.window.cards {
            let Some(id) = self.next_to_leave() else { break };
            self.head.cards.remove(&id);
            // The card's buttons still work: a press loads it again. It only leaves the list of open
            // questions.
            self.clear_pending_of(&id);
            self.retire(RecordKind::Card, &id.0);
        }
        // A prompt may show more messages than people's references need, so the larger window counts.
        let held = self.policy.window.messages.max(self.policy.context.window);
        while self.head.window.len() > held {
            let goes = |id: &&str| self.untouched(RecordKind::Message, id) && !self.waited_for(id);
            let Some(id) = self.head.window.texts().find(goes).map(MessageId::from) else { break };
            self.head.window.remove(&id);
            if self.head.is_raw(&id) && !self.head.earlier.contains(&id) {
                self.head.earlier.push(&id);
            }
            self.retire(RecordKind::Message, &id.0);
        }
        self.prune_ended();
        self.retire_unused();
    }

    /// The oldest card that waits for nobody, else the oldest that is not the open gate: a newer message
    /// has to find the gate, and there is only one.
    fn next_to_leave(&self) -> Option<CardId> {
        let card = |id: &str| self.named::<Card>(id);
        let open = |id: &&str| card(id).is_some_and(Card::awaits_press);
        let gate =
            |id: &&str| card(id).is_some_and(|card| matches!(card.about, CardSubject::ScopeGate { .. }));
        let loaded = || self.head.cards.texts().filter(|id| self.untouched(RecordKind::Card, id));
        loaded().find(|id| !open(id)).or_else(|| loaded().find(|id| !gate(id))).map(CardId::from)
    }

    /// Unloads drafts, batches and decisions that no loaded card and no open question needs, reviews that
    /// are over and have no loaded card, and live tasks that nothing loaded names and nobody works on.
    fn retire_unused(&mut self) {
        let records = &self.lane.records;
        let kinds = RecordKind::ALL.iter().filter(|kind| kind.loaded() == Loaded::WhileNamed);
        let loaded = || kinds.clone().flat_map(|kind| records.of(*kind));
        if loaded().next().is_none() {
            return;
        }
        let cards = || self.head.cards.texts().filter_map(|id| self.named::<Card>(id));
        let answered = self.head.answered.as_ref().map(|answered| &answered.pending);
        let questions = || self.head.pendings.iter().chain(&self.head.lapsed).chain(answered);
        let written = self.head.ask.as_ref().and_then(|ask| ask.about.batch());
        let batches = self.batches_in_use(cards().filter_map(Card::batch).chain(written));
        let mut drafts: BTreeSet<&DraftId> = cards()
            .filter_map(Card::draft)
            .chain(questions().filter_map(|pending| pending.kind.draft()))
            .chain(self.head.ask.as_ref().and_then(|ask| ask.about.draft()))
            .chain(batches.iter().flat_map(|batch| batch.items.iter().chain(batch.before.iter().flatten())))
            .collect();
        let epics: Vec<&DraftId> =
            drafts.iter().filter_map(|id| self.get::<Draft>(id)?.under.as_ref()).collect();
        drafts.extend(epics);
        let mut tasks: BTreeSet<&TaskId> =
            drafts.iter().filter_map(|id| self.get::<Draft>(id)).map(|draft| &draft.task).collect();
        let reviews: BTreeSet<&ReviewId> = cards().filter_map(Card::review).collect();
        let kept = |review: &Review| {
            review.is_current() || review.status == ReviewStatus::Drafting || reviews.contains(&review.id)
        };
        tasks.extend(records.all::<Review>().filter(|review| kept(review)).map(|review| &review.task));
        let decisions: BTreeSet<&ProposalId> = cards()
            .filter_map(Card::decision)
            .chain(questions().filter_map(|pending| pending.kind.proposal()))
            .collect();
        let proposals = records.all::<Proposal>().filter(|proposal| decisions.contains(&proposal.id));
        tasks.extend(proposals.map(|proposal| &proposal.task));
        tasks.extend(questions().filter_map(|pending| pending.task.as_ref()));
        tasks.extend(cards().filter_map(Card::task));
        tasks.extend(batches.iter().map(|batch| &batch.task));
        tasks.extend(self.head.window.texts().filter_map(|id| self.named::<Message>(id)?.task.as_ref()));
        let unused = loaded().filter(|record| match record {
            Record::Draft(draft) => !drafts.contains(&draft.id),
            Record::Review(review) => !kept(review),
            Record::Proposal(proposal) => !decisions.contains(&proposal.id),
            Record::Batch(batch) => !batches.iter().any(|used| used.id == batch.id),
            // Ended tasks stay: prompts list them, and `prune_ended` limits their number.
            Record::Task(task) => {
                task.status.is_live() && !task.expects_reports() && !tasks.contains(&task.id)
            }
            _ => false,
        });
        let unused: Vec<RecordKey> = unused.map(Record::key).collect();
        for key in unused {
            if self.untouched(key.kind, &key.key) {
                self.retire(key.kind, &key.key);
            }
        }
    }

    /// These batches, and the later parts of those that were split.
    fn batches_in_use<'b>(&'b self, first: impl Iterator<Item = &'b BatchId>) -> Vec<&'b Batch> {
        let mut used: Vec<&Batch> = first.filter_map(|id| self.get::<Batch>(id)).collect();
        let mut at = 0;
        while let Some(batch) = used.get(at) {
            at += 1;
            let next = batch.part.as_ref().and_then(|part| part.next.as_ref());
            used.extend(next.and_then(|next| self.get::<Batch>(next)));
        }
        used
    }

    /// Loads a card again that was read for this turn from beyond the window and was changed. It is the
    /// first to leave.
    fn readmit(&mut self) {
        for record in &self.given.revived {
            if let Record::Card(card) = record
                && !self.untouched(RecordKind::Card, &card.id.0)
                && !self.head.cards.contains(&card.id)
            {
                self.head.cards.push_first(&card.id);
            }
        }
    }

    /// True if an open gate keeps this message, to route it when somebody chooses.
    fn waited_for(&self, id: &str) -> bool {
        self.head
            .pendings
            .iter()
            .any(|p| matches!(&p.kind, PendingKind::WaitingScopeChoice { message, .. } if message.0 == id))
    }
}
