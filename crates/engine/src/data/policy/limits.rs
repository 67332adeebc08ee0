//! Limits that no installation can change, because a replay, another replica or a promise depends on them.

use crate::data::time::{Millis, Timestamp};

/// Characters of an open question that is named again.
pub const QUESTION_SHOWN: usize = 120;
/// Conversational questions that a lane keeps at once; the oldest of more is dropped.
pub const QUESTIONS: usize = 8;
/// Time in which a lane is told once that messages were refused, in milliseconds.
pub const NOTICE_WINDOW: Millis = Timestamp::MINUTE;
/// Attempts and milliseconds after which a message or card is given up.
pub const GIVE_UP_MESSAGE: (u32, Millis) = (8, 15 * Timestamp::MINUTE);
/// Attempts and milliseconds for a private notice: a late one answers nothing.
pub const GIVE_UP_NOTICE: (u32, Millis) = (2, Timestamp::MINUTE);
/// Attempts and milliseconds for a card's new state: it is worth sending for a day, however often.
pub const GIVE_UP_CARD_UPDATE: (u32, Millis) = (u32::MAX, Timestamp::DAY);
/// Attempts and milliseconds for a question to a model: one retry. The question's own time limit may end
/// it sooner.
pub const GIVE_UP_MODEL_ASK: (u32, Millis) = (2, 90 * Timestamp::SECOND);
/// Attempts and milliseconds for a call to a tracker.
pub const GIVE_UP_TRACKER: (u32, Millis) = (8, Timestamp::DAY);
/// Delay before the first retry, and the shortest one.
pub const RETRY_FIRST: Millis = Timestamp::SECOND;
/// Longest delay that the retry schedule gives by itself.
pub const RETRY_LONGEST: Millis = 300 * Timestamp::SECOND;
/// Looks for a message that may be out, before it is given up.
pub const LOOKS: u32 = 2;
/// Tokens around the input in the last section of a prompt: its heading, its fences and their marks.
pub const INPUT_FRAME: u32 = 64;
/// Characters of a message shown in a hint about it.
pub const SNIPPET: usize = 180;
/// Characters of a person's name on cards and posts.
pub const NAME: usize = 64;
/// Characters of a field repeated in the question about it; its card shows all of it.
pub const FIELD_SHOWN: usize = 200;
/// Open questions how an issue is; the oldest is dropped for a newer one.
pub const ISSUE_QUESTIONS: usize = 16;
/// Requests of hosts that wait for a decision in a lane at once: people cannot judge more.
pub const OPEN_REQUESTS: usize = 32;
/// Queued, running and blocked tasks of a lane, together.
pub const LIVE_TASKS: usize = 1_000;
/// Attempts and milliseconds for a tool that only reads; then a retry is offered.
pub const GIVE_UP_TOOL: (u32, Millis) = (3, 30 * Timestamp::SECOND);
/// Attempts and milliseconds for a tool that may change something: somebody has approved it, so it keeps the schedule.
pub const GIVE_UP_WRITING_TOOL: (u32, Millis) = GIVE_UP_TRACKER;
/// Attempts and milliseconds for a sub-agent.
pub const GIVE_UP_AGENT: (u32, Millis) = (8, Timestamp::DAY);
/// Shortest wait before a sub-agent's work is looked at again; the wait is as long as the work has taken
/// so far.
pub const LOOK_FIRST: Millis = Timestamp::SECOND;
/// Longest wait before a sub-agent's work is looked at again.
pub const LOOK_LONGEST: Millis = 30 * Timestamp::SECOND;
/// News items passed on for one piece of work, which may never stop reporting.
pub const WORK_NEWS: u32 = 30;
/// Attempts and milliseconds that a host has to run an option, or to perform an act that it asked leave for.
pub const GIVE_UP_HOST: (u32, Millis) = (1, HOST_REPORT);
/// Attempts and milliseconds that a host has to say what a list holds: somebody waits for it.
pub const GIVE_UP_EVIDENCE: (u32, Millis) = (1, 800);
/// Messages of a thread that a ticket "for this" takes as its material.
pub const THREAD_MESSAGES: usize = 10;
/// Milliseconds between two messages that still belong together.
pub const THREAD_PAUSE: Millis = 15 * Timestamp::MINUTE;
/// Items of one batch, epics and stories together: nobody reads a longer preview.
pub const BATCH_ITEMS: usize = 50;
/// Characters kept of a tool's or a sub-agent's answer: as much as a chat shows.
pub const WORK_ANSWER: usize = 4_000;
/// Sentences read of the text under review: a long evening's talk.
pub const REVIEW_SENTENCES: usize = 200;
/// Sentences read until that many are found: some are greetings, requests or said before.
pub const REVIEW_SENTENCES_READ: usize = 250;
/// Messages of full length that a review reads together.
pub const REVIEW_MESSAGES_READ: usize = 2;
/// Words of the longest sentence that may be nothing but a greeting or thanks.
pub const COURTESY_WORDS: usize = 12;
/// Sentences of a review's summary when no model writes it.
pub const REVIEW_SUMMARY: usize = 3;
/// Points of a review or a patch that a model writes. Those of a patch beyond what is shown are under
/// *Show full*.
pub const REVIEW_POINTS: usize = 60;
/// Characters of one such point: a sentence.
pub const REVIEW_POINT: usize = 600;
/// Characters of the summary a model writes.
pub const REVIEW_SUMMARY_CHARS: usize = 4_000;
/// Versions of one review: whoever has more to say begins another.
pub const REVIEW_VERSIONS: u32 = 50;
/// Characters of an answer in words that a model writes.
pub const MODEL_ANSWER: usize = 16_000;
/// Delays at which a tracker is searched for what an uncertain create may have made, counted from the
/// question to a person; then it is searched daily.
pub const SEEK: [Millis; 5] = [
    10 * Timestamp::SECOND,
    30 * Timestamp::SECOND,
    2 * Timestamp::MINUTE,
    10 * Timestamp::MINUTE,
    Timestamp::HOUR,
];
/// Days of these daily searches.
pub const SEEK_DAYS: i64 = 7;
/// Options of one list.
pub const SET_OPTIONS: usize = 50;
/// Highest number that the first option of a page may have: people write numbers of up to three digits.
pub const OPTION_NUMBERS: u16 = 950;
/// Characters of an option's id.
pub const OPTION_ID: usize = 128;
/// Graphemes of an option's label.
pub const OPTION_LABEL: usize = 200;
/// Bytes of an option's label, as each grapheme may be a stack of marks.
pub const OPTION_LABEL_BYTES: usize = 8 * OPTION_LABEL;
/// Aliases of one option.
pub const OPTION_ALIASES: usize = 16;
/// Fields of one option.
pub const OPTION_FIELDS: usize = 32;
/// Characters of a field's name.
pub const FIELD_NAME: usize = 64;
/// Characters of a quantity's unit.
pub const FIELD_UNIT: usize = 32;
/// Texts of a field that is a list.
pub const FIELD_LIST: usize = 32;
/// Comparisons that a list names.
pub const LIST_COMPARISONS: usize = 32;
/// Appearances of a list that are kept; a reply to an older one refers to the newest.
pub const SHOWINGS: usize = 5;
/// Issue keys that one decision names: as many as fit on a line.
pub const DECISION_ISSUES: usize = 10;
/// Graphemes of a fact.
pub const FACT_TEXT: usize = 300;
/// Bytes of a fact's subject.
pub const FACT_SUBJECT: usize = 64;
/// Words of a subject found in a message: a name, not a sentence.
pub const SUBJECT_WORDS: usize = 5;
/// Facts taken from one message: more is a list to read, not to remember.
pub const STATED: usize = 5;
/// Confidence, in percent, of a fact that a person asks to be remembered.
pub const FACT_ASKED: u8 = 95;
/// Confidence, in percent, of a fact that a member states in passing.
pub const FACT_STATED: u8 = 90;
/// Confidence, in percent, of a fact that a model proposes without giving one.
pub const FACT_UNSAID: u8 = 80;
/// Letters from which a word of a proposed fact is looked for in the message it cites: shorter words are
/// everywhere.
pub const FACT_WORD: usize = 4;
/// Percent of those words that the message has to contain.
pub const FACT_GROUNDED: usize = 60;
/// Retries after a lost race for a lane, before the row is left for later.
pub const RACES: u32 = 5;
/// Milliseconds that one run of a lane may take while others wait.
pub const RUN: Millis = 200;
/// Idle milliseconds after which a lane is released.
pub const IDLE_LANE: Millis = 5 * Timestamp::SECOND;
/// Lanes that a process holds in memory. Beyond that those that were not used for longest are released.
pub const HELD_LANES: usize = 2_048;
/// Bytes of those lanes, about.
pub const HELD_BYTES: usize = 64 * 1024 * 1024;
/// Bytes of a record of such a lane beside its text, about.
pub const HELD_RECORD: usize = 3 * 1024;
/// Lanes released at once.
pub const RELEASED_AT_ONCE: usize = 256;
/// Milliseconds that a host has to answer a turn, unless policy says otherwise: an agent may think for a while, and a
/// person waits.
pub const HANDOVER: Millis = 2 * Timestamp::MINUTE;
/// Turns that wait for the host's agent at once; the oldest of more is taken back.
pub const HANDOVERS: usize = 8;
/// Milliseconds that a host has to report an effect it performs.
pub const HOST_REPORT: Millis = Timestamp::DAY;
/// Turns between two copies of the full state, which is also kept at turn 1.
pub const CHECKPOINT_EVERY: u64 = 100;
/// Milliseconds between two looks at the kill switch while it holds an effect.
pub const PAUSED_LOOK: Millis = 5 * Timestamp::SECOND;
/// Milliseconds between two looks for a place among the calls of a server.
pub const PLACE_LOOK: Millis = Timestamp::SECOND;
/// Milliseconds after which a call that found no place is given up.
pub const PLACE_LONGEST: Millis = 10 * Timestamp::MINUTE;
