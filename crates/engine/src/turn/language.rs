//! Languages of a turn: those its messages are read in, and the one it speaks.

use throughline_language::{Languages, Words, spoken, spoken_first};

use crate::data::card::Card;
use crate::data::decision::Reason;
use crate::data::event::EventKind;
use crate::data::id::{CardId, TaskId};
use crate::data::language::Language;
use crate::data::message::Message;
use crate::data::task::Task;
use crate::turn::Turn;

impl Turn<'_> {
    /// The languages in which the turn's actor may write: first the one the person prefers, else that of the lane, else that
    /// of the installation. "3.12." is a day in one language and a time in another.
    pub(crate) fn languages(&self) -> Languages {
        let own = self.given.actor.as_ref().and_then(|actor| actor.language.as_deref());
        let lane = self.head.language.map(Language::code);
        Languages::preferring(own.or(lane).or(self.policy.language.as_deref()).unwrap_or_default())
    }

    /// Returns the language in which this turn speaks to people: of the card, the task or the question that it goes on with
    /// while nobody acts, else of the person who acts, else of the lane, else of the installation
    /// (`docs/design/0056-catalogues.md`).
    pub(crate) fn language(&self) -> Language {
        if !self.given.multilingual {
            return Language::En;
        }
        let actor = self.given.actor.as_ref().and_then(|actor| actor.language.as_deref());
        let own = actor.and_then(Language::of);
        self.language_before().or(own).or(self.head.language).unwrap_or_else(|| self.policy.language())
    }

    /// Returns the language of what an event that nobody caused goes on with.
    fn language_before(&self) -> Option<Language> {
        let of_card = |card: &CardId| self.get::<Card>(card).map(|card| card.language);
        let of_task = |task: &TaskId| self.get::<Task>(task).map(|task| task.language);
        match &self.event.kind {
            EventKind::EffectSettled { effect, card, task, unshown, .. } => {
                let asked = self.lane.head.ask.as_ref().filter(|ask| ask.effect == *effect);
                let shown =
                    unshown.as_ref().and_then(|lost| self.get::<Message>(&lost.message)?.card.as_ref());
                let card = card.as_ref().or(shown).and_then(of_card);
                let sought =
                    self.lane.head.tracked.iter().find(|issue| issue.sought.as_ref() == Some(effect));
                let handed = self.lane.head.handovers.iter().find(|open| open.effect == *effect);
                let question = self.lane.head.issue_questions.iter().find(|asked| asked.effect == *effect);
                let asked = asked.map(|ask| ask.language).or(sought.map(|issue| issue.language));
                let asked =
                    asked.or(question.map(|asked| asked.language)).or(handed.map(|open| open.language));
                asked.or(card).or_else(|| task.as_ref().and_then(of_task))
            }
            EventKind::EffectProgressed { task, .. } => of_task(task),
            EventKind::TimerDue { about, .. } => of_card(about.card()),
            _ => None,
        }
    }

    /// Cuts a person's text into words as it is read here: in the turn's languages, and with what the installation's own
    /// phrases mean in their place.
    pub(crate) fn words_of(&mut self, text: &str) -> Words {
        let known = self.policy.in_known_words(text);
        if known != text {
            self.note(Reason::LexiconRead);
        }
        Words::new(&known, self.languages())
    }

    /// Returns a message as it is read in the language that people write here, which it may tell.
    pub(super) fn heard_in(&mut self, words: Words) -> Words {
        self.learn_language(&words);
        let languages = self.languages();
        if languages == words.languages() { words } else { Words::new(words.text(), languages) }
    }

    /// Learns the language of a lane from the first words of a host's agent, if nobody wrote before.
    pub(crate) fn begun_by_host(&mut self, text: &str) {
        if self.head.window.texts().next().is_none() {
            self.learn_language(&Words::of(text));
        }
    }

    /// Learns the language that people write here from a message that is clearly in one.
    fn learn_language(&mut self, words: &Words) {
        let first = self.lane.head.window.texts().next().is_none();
        let spoken = if first { spoken_first(words) } else { spoken(words) };
        let spoken = spoken.and_then(|spoken| Language::of(spoken.code()));
        if let Some(spoken) = spoken.filter(|_| self.given.multilingual) {
            self.head.language = Some(spoken).filter(|spoken| *spoken != self.policy.language());
        }
    }
}
