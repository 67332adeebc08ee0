//! A record of what several processes told clients of one lane, judged as if a single log had told it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use serde_json::{Value, json};
use throughline_protocols::history::{Answer, Call, History, Turn};

use crate::client::Client;

/// Number of clients that write at once, and of the messages of each.
const WRITERS: usize = 4;
const MESSAGES: usize = 20;

/// Each of these messages is delivered by the client whose it is and by the next one too.
const SHARED: usize = 4;

/// Lane of the record.
const CONVERSATION: &str = "recorded";

enum Act {
    Deliver(String),
    Read,
}

enum Told {
    /// The turn's id, and whether the event was known.
    Turn(String, bool),
    /// Ids of the turns of messages, in their order.
    Turns(Vec<String>),
}

enum Entry {
    Invoked(usize, Act),
    Returned(usize, Told),
}

/// A record in the order in which calls were made and answered.
#[derive(Default)]
pub(super) struct Record {
    entries: Mutex<Vec<Entry>>,
    calls: AtomicUsize,
}

impl Record {
    /// Lets clients write to the lane and read it through servers that are asked in turn, until all messages have a turn.
    pub(super) fn play(&self, client: &Client, seed: u64) {
        let over = AtomicBool::new(false);
        let lane = client.event(&key(seed, 0, 0), &body(0, 0))["lane"].as_str().unwrap().to_owned();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::SeqCst) {
                    self.read(client, &lane);
                }
            });
            let writer = |writer| scope.spawn(move || self.write(client, seed, writer));
            let writers: Vec<_> = (0..WRITERS).map(writer).collect();
            let ended: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
            over.store(true, Ordering::SeqCst);
            ended.into_iter().for_each(Result::unwrap);
        });
        self.read(client, &lane);
    }

    fn write(&self, client: &Client, seed: u64, writer: usize) {
        for n in 0..MESSAGES {
            let of = if n % SHARED == 0 { [writer, (writer + 1) % WRITERS] } else { [writer; 2] };
            for of in of {
                self.deliver(client, &key(seed, of, n), &body(of, n));
            }
        }
    }

    /// Delivers an event until it is answered. Each request is a call of its own.
    fn deliver(&self, client: &Client, key: &str, body: &Value) {
        client.until(key, || {
            let call = self.invoke(Act::Deliver(key.to_owned()));
            let told = client.try_event(key, body)?;
            let turn = told.answer["turn"].as_str()?.to_owned();
            self.add(Entry::Returned(call, Told::Turn(turn, told.is_known)));
            Some(())
        });
    }

    fn read(&self, client: &Client, lane: &str) {
        let call = self.invoke(Act::Read);
        let Some(list) = client.try_get(&format!("/v1/lanes/{lane}/turns?limit=200")) else { return };
        let mut turns: Vec<String> = list["items"]
            .as_array()
            .into_iter()
            .flatten()
            .filter(|turn| turn["event"] == "message.posted")
            .filter_map(|turn| turn["turn"].as_str().map(str::to_owned))
            .collect();
        turns.reverse();
        self.add(Entry::Returned(call, Told::Turns(turns)));
    }

    fn invoke(&self, act: Act) -> usize {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        self.add(Entry::Invoked(call, act));
        call
    }

    fn add(&self, entry: Entry) {
        self.entries.lock().unwrap().push(entry);
    }

    /// Says what is wrong with the record, if one log would not have told this.
    pub(super) fn judge(self, client: &Client, seed: u64) -> Option<String> {
        let first = key(seed, 0, 0);
        let keys = (0..WRITERS).flat_map(|writer| (0..MESSAGES).map(move |n| key(seed, writer, n)));
        let by_turn: HashMap<String, String> = keys
            .filter_map(|key| {
                let turn = client.get(&format!("/v1/turns/key:{key}"))["turn"].as_str()?.to_owned();
                Some((turn, key))
            })
            .collect();
        let history = History::new();
        let mut calls: HashMap<usize, Call> = HashMap::new();
        // The first event was delivered before the record began.
        let begin = history.deliver(&first);
        drop(begin);
        for entry in self.entries.into_inner().unwrap() {
            match entry {
                Entry::Invoked(call, Act::Deliver(event)) => {
                    calls.insert(call, history.deliver(&event));
                }
                Entry::Invoked(call, Act::Read) => {
                    calls.insert(call, history.read());
                }
                Entry::Returned(call, told) => {
                    history.returned(calls.remove(&call).unwrap(), answer(told, &by_turn));
                }
            }
        }
        history.check().err()
    }
}

fn answer(told: Told, by_turn: &HashMap<String, String>) -> Answer {
    match told {
        Told::Turn(id, true) => Answer::Duplicate(turn(id)),
        Told::Turn(id, false) => Answer::Turn(turn(id)),
        Told::Turns(ids) => {
            // A turn that no key has belongs to an event that nobody sent.
            let event = |id: &String| by_turn.get(id).cloned().unwrap_or_else(|| format!("nothing, {id}"));
            Answer::Turns(ids.into_iter().map(|id| (event(&id), turn(id))).collect())
        }
    }
}

/// A turn's id ends with the revision that it wrote.
fn turn(id: String) -> Turn {
    let revision = id.rsplit('_').next().and_then(|end| end.parse().ok()).unwrap();
    Turn { revision, id }
}

fn key(seed: u64, writer: usize, n: usize) -> String {
    format!("recorded{seed}-{writer}-{n}")
}

fn body(writer: usize, n: usize) -> Value {
    let lane = json!({ "channel": "api", "conversation": CONVERSATION });
    let text = format!("hello {n} of {writer}");
    json!({ "lane": lane, "kind": "message.posted", "actor": { "id": "you" }, "text": text })
}
