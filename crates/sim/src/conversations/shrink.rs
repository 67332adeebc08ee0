//! Makes a conversation smaller as long as it still shows the same.

use super::generate::{Act, Conversation, Reply};
use super::play::play;
use super::report::Family;
use throughline_engine::Policy;

/// Returns a smallest conversation with a finding of this family: no act can be left out, and no text can do without its
/// reply or without waiting.
#[must_use]
pub fn shrink(conversation: &Conversation, family: &Family, policy: &Policy) -> Conversation {
    let shows = |smaller: &Conversation| {
        play(smaller, policy).findings.iter().any(|finding| finding.family == *family)
    };
    let mut best = conversation.clone();
    loop {
        let mut smaller = (0..best.acts.len()).rev().map(|at| without(&best, at)).chain(simpler(&best));
        match smaller.find(shows) {
            Some(found) => best = found,
            None => return best,
        }
    }
}

fn without(conversation: &Conversation, at: usize) -> Conversation {
    let mut smaller = conversation.clone();
    smaller.acts.remove(at);
    smaller
}

/// Equal acts, one of them a little simpler.
fn simpler(conversation: &Conversation) -> Vec<Conversation> {
    let mut all = Vec::new();
    for (at, act) in conversation.acts.iter().enumerate() {
        let mut put = |act: Act| {
            let mut smaller = conversation.clone();
            smaller.acts[at] = act;
            all.push(smaller);
        };
        match act {
            Act::Say(say) => {
                let mut plain = say.clone();
                plain.reply = Reply::Nothing;
                if plain != *say {
                    put(Act::Say(plain));
                }
                let mut prompt = say.clone();
                prompt.held = 0;
                if prompt != *say {
                    put(Act::Say(prompt));
                }
            }
            Act::Show(show) if show.labels.len() > 2 => {
                let mut shorter = show.clone();
                shorter.labels.pop();
                put(Act::Show(shorter));
            }
            Act::Show(show) if show.reversed => {
                put(Act::Show(super::generate::Show { reversed: false, ..show.clone() }));
            }
            _ => {}
        }
    }
    if !conversation.prompt_host {
        all.push(Conversation { prompt_host: true, ..conversation.clone() });
    }
    all
}
