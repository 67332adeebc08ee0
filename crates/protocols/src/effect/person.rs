//! The steps behind an unknown outcome: the question, the searches, and what a person decides.

use super::{Effect, EffectModel, EffectState, EffectWorld, Step};

impl EffectModel {
    pub(super) fn person_steps(&self, world: &EffectWorld, effect: usize, steps: &mut Vec<Step>) {
        let row = &world.effects[effect];
        if row.state == EffectState::Uncertain && !row.asked {
            steps.push(Step::Ask(effect));
        }
        let sought = row.is_question() || (row.replaced && !row.duplicate_told);
        if sought && row.searches < self.searches {
            steps.push(Step::Seek(effect));
        }
        if !row.is_question() {
            return;
        }
        if row.issues > 0 {
            steps.push(Step::Adopt(effect));
        }
        if world.again > 0 {
            steps.push(Step::CreateAgain(effect));
        }
        steps.push(Step::Cancel(effect));
    }

    /// Replaces a create by another one, which a person approved. What waited for it waits for the new one.
    pub(super) fn create_again(&self, world: &mut EffectWorld, effect: usize) {
        world.again -= 1;
        let waits =
            |row: &Effect| row.state == EffectState::Planned && row.after.map(usize::from) == Some(effect);
        let waiting: Vec<usize> = (0..world.effects.len()).filter(|n| waits(&world.effects[*n])).collect();
        let new = u8::try_from(world.effects.len()).unwrap_or(u8::MAX);
        let after = world.effects[effect].after;
        world.effects.push(Effect::planned(after));
        for follower in waiting {
            world.end(follower, EffectState::Cancelled);
            world.effects.push(Effect::planned(Some(new)));
        }
        world.end(effect, EffectState::Cancelled);
        world.effects[effect].replaced = true;
    }
}

impl EffectWorld {
    /// Searches by the marker. What is found is adopted, or told as a duplicate if another create replaced it.
    pub(super) fn seek(&mut self, effect: usize) {
        let row = &mut self.effects[effect];
        row.searches += 1;
        if row.found == 0 {
            return;
        }
        if row.replaced {
            row.duplicate_told = true;
        } else {
            self.end(effect, EffectState::Done);
        }
    }
}
