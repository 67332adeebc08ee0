//! `throughline chat`: a chat in the terminal, with a running instance or one in this process.

mod follow;
mod keyboard;
mod screen;

use std::io::{self, BufRead, IsTerminal};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use throughline_channels::api::MessageView;
use throughline_channels::terminal::{HELP, Line, fit, parse, pick, safe};
use throughline_server::wire::{LaneEvent, LaneEvents, Turn};

use crate::api::{self, Ids as _, Kind, Remote};
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::random;
use crate::settings;
use follow::{Printer, follow, messages};
use keyboard::{Keyboard, Typed};
use screen::Screen;

/// Talk to it in the terminal; cards are numbered, :1 presses button 1 of the newest
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline chat                                     here: with the server that runs, or without one
  throughline chat --session standup                   go on with an earlier one, or join others
  throughline chat --server http://127.0.0.1:7070      with a server elsewhere
  printf 'create a bug: login fails\\n:1\\n' | throughline chat --no-input")]
pub(crate) struct Args {
    /// The conversation's name [default: a new one each time]
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Speak as another user, where your token may
    #[arg(long = "as", value_name = "USER")]
    speaker: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let connection = api::connect_or_create(app)?;
    let place = match &app.flags.server {
        Some(url) => url.clone(),
        None => settings::installation(app)?.store.to_string(),
    };
    let session = match &args.session {
        Some(session) => session.clone(),
        None => random::key("chat")?.chars().take(13).collect(),
    };
    let run: String = random::key("")?.chars().take(9).collect();
    let person = !app.flags.no_input && !app.out.is_json() && io::stdin().is_terminal();
    let mut chat = Chat {
        app,
        remote: connection.remote.clone(),
        lane: json!({ "channel": "terminal", "conversation": session }),
        speaker: args.speaker.clone(),
        keys: format!("{session}{run}"),
        sent: 0,
        typed: String::new(),
        id: None,
        last: None,
        screen: Arc::new(Mutex::new(Screen::new(app.out.paint()))),
        printer: None,
    };
    let news = if person { "what others say appears by itself" } else { "an empty line shows what is new" };
    app.out
        .note(&fit(&format!("session {session} · :help for help, :quit to leave, {news}"), screen::width()));
    if args.session.is_some() {
        chat.resume(&session)?;
    }
    let ended = if person { chat.run_interactive(&place) } else { chat.read_lines(io::stdin().lock()) };
    let finished = connection.close();
    let exit = ended?;
    finished?;
    Ok(exit)
}

/// Longest wait for a host's agent to answer a message that was handed to it.
const HOST_ANSWERS: Duration = Duration::from_secs(20);

/// A conversation and what was shown of it.
struct Chat<'a> {
    app: &'a App,
    remote: Remote,
    lane: Value,
    speaker: Option<String>,
    /// The prefix of the delivery keys of this run.
    keys: String,
    sent: usize,
    /// The lines so far of a message that is continued with a backslash.
    typed: String,
    /// The lane's id, once known.
    id: Option<String>,
    /// The last turn, which `:why` explains.
    last: Option<String>,
    /// Locked while an answer is printed.
    screen: Arc<Mutex<Screen>>,
    /// The printer for what others say, until a conversation is followed.
    printer: Option<Printer>,
}

/// The step after a line.
#[derive(PartialEq, Eq)]
enum Next {
    Continue,
    Quit,
}

impl Chat<'_> {
    /// Reads lines from a person at a keyboard.
    fn run_interactive(&mut self, place: &str) -> Outcome {
        let mut keyboard = Keyboard::open(place)?;
        self.printer = keyboard.printer();
        loop {
            self.follow();
            match keyboard.read()? {
                Typed::Line(line) => {
                    let next = match self.line(&line) {
                        Ok(next) => next,
                        // Unless the instance is gone, the failure is printed and the conversation continues.
                        Err(failure) if failure.exit_code() != Exit::Unreachable => {
                            self.app.out.message(&failure.render(self.app.out.paint_messages()));
                            Next::Continue
                        }
                        Err(failure) => return Err(failure),
                    };
                    if next == Next::Quit {
                        return Ok(Exit::Ok);
                    }
                }
                Typed::FirstInterrupt => self.app.out.note("Ctrl-C again, Ctrl-D or :quit leaves"),
                Typed::SecondInterrupt => return Ok(Exit::Interrupted),
                Typed::End => return Ok(Exit::Ok),
            }
        }
    }

    /// Begins to follow the conversation, once there is one.
    fn follow(&mut self) {
        let Some(lane) = &self.id else { return };
        if let Some(printer) = self.printer.take() {
            follow(self.remote.clone(), lane.clone(), self.screen.clone(), printer);
        }
    }

    fn screen(&self) -> MutexGuard<'_, Screen> {
        self.screen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads lines from a pipe or a file. Prints each before its answer, so that the output reads as a session.
    fn read_lines(&mut self, lines: impl BufRead) -> Outcome {
        for line in lines.lines() {
            let line = line.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
            if !self.app.out.is_json() && !line.trim().is_empty() {
                let prompt = if self.typed.is_empty() { '>' } else { '…' };
                self.app.out.line(&format!("{prompt} {line}"))?;
            }
            if self.line(&line)? == Next::Quit {
                return Ok(Exit::Ok);
            }
        }
        if !self.typed.is_empty() {
            self.line("")?;
        }
        Ok(Exit::Ok)
    }

    fn line(&mut self, line: &str) -> Result<Next, Failure> {
        // A backslash at the end continues the message in the next line.
        if let Some(begun) = line.strip_suffix('\\') {
            self.typed.push_str(begun);
            self.typed.push('\n');
            return Ok(Next::Continue);
        }
        let whole = std::mem::take(&mut self.typed) + line;
        match parse(&whole) {
            Line::Empty => self.show_updates()?,
            Line::Quit => return Ok(Next::Quit),
            Line::Help => self.app.out.line(&fit(HELP, screen::width()))?,
            Line::Invalid(sentence) => self.app.out.message(&sentence),
            Line::Why(turn) => self.why(turn)?,
            Line::Text(text) => self.send(json!({ "kind": "message.posted", "text": text }))?,
            Line::Press { card, button } => {
                if let Some(token) = self.token(card, button) {
                    self.send(json!({ "kind": "card.pressed", "press": { "token": token } }))?;
                }
            }
            Line::Form { card, button, values } => {
                if let Some(token) = self.token(card, button) {
                    self.send(
                        json!({ "kind": "form.submitted", "form": { "token": token, "values": values } }),
                    )?;
                }
            }
        }
        Ok(Next::Continue)
    }

    /// Returns the token of a numbered button. Prints the buttons there are if there is no such number.
    fn token(&self, card: Option<usize>, button: usize) -> Option<String> {
        match pick(self.screen().cards(), card, button) {
            Ok(button) => button.token.clone(),
            Err(none) => {
                self.app.out.message(&none.to_string());
                None
            }
        }
    }

    fn why(&self, turn: Option<String>) -> Result<(), Failure> {
        match turn.or_else(|| self.last.clone()) {
            Some(turn) => {
                let turn = self.remote.id_of(Kind::Turn, &turn)?;
                self.app.out.line(&fit(&safe(&self.remote.why(&turn)?.text), screen::width()))?;
            }
            None => self.app.out.message("Nothing has happened yet, so there is nothing to explain"),
        }
        Ok(())
    }

    /// Prints the current state of an earlier conversation of this name, so that its cards can be pressed.
    fn resume(&mut self, session: &str) -> Result<(), Failure> {
        let lanes = self.remote.lanes(None, usize::MAX)?;
        let ours = lanes.into_iter().find(|lane| lane.channel == "terminal" && lane.conversation == session);
        self.id = ours.map(|lane| lane.id);
        self.show_updates()
    }

    /// Prints the messages that are new and the cards that changed since the last print.
    fn show_updates(&mut self) -> Result<(), Failure> {
        let screen = self.screen.clone();
        let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
        self.show_updates_on(&mut screen)
    }

    fn show_updates_on(&self, screen: &mut Screen) -> Result<(), Failure> {
        let Some(id) = &self.id else { return Ok(()) };
        let shown = screen.render_changes(&messages(&self.remote, id)?);
        self.print(&shown)
    }

    fn print(&self, texts: &[String]) -> Result<(), Failure> {
        if self.app.out.is_json() {
            return Ok(());
        }
        for text in texts {
            self.app.out.line(text)?;
            self.app.out.line("")?;
        }
        Ok(())
    }

    /// Delivers an event and prints the answer.
    fn send(&mut self, mut event: Value) -> Result<(), Failure> {
        event["lane"] = self.lane.clone();
        if let Some(speaker) = &self.speaker {
            event["actor"] = json!({ "id": speaker });
        }
        self.sent += 1;
        let screen = self.screen.clone();
        let mut screen = screen.lock().unwrap_or_else(PoisonError::into_inner);
        screen.set_typed(event["text"].as_str());
        let delivered = self.remote.deliver(&format!("{}-{}", self.keys, self.sent), &event)?;
        self.last = Some(delivered.answer.turn.clone());
        self.id = Some(delivered.answer.lane.clone());
        // This numbers the cards, which later lines press, with `--json` too.
        let mut shown = screen.render_changes(&views(&delivered.body["messages"])?);
        if self.app.out.is_json() {
            self.app.out.value(&delivered.body)?;
            return Ok(());
        }
        let notices = delivered.answer.effects.iter().filter(|effect| effect.class == "notice");
        shown.extend(notices.filter_map(|notice| Some(safe(notice.body.get("text")?.as_str()?))));
        let handover = delivered.answer.effects.iter().find(|effect| effect.class == "turn.handover");
        if shown.is_empty() && handover.is_none() {
            self.app.out.note(&format!("({})", delivered.answer.reason));
        }
        self.print(&shown)?;
        if let Some(handover) = handover {
            self.wait_for_host(&delivered.answer.turn, &handover.id)?;
        }
        // Messages that other turns added meanwhile, such as a posted decision.
        self.show_updates_on(&mut screen)
    }

    /// Waits until the host's agent has answered the message that was handed to it, for [`HOST_ANSWERS`].
    fn wait_for_host(&self, turn: &str, handover: &str) -> Result<(), Failure> {
        let until = Instant::now() + HOST_ANSWERS;
        let turn: Turn = self.remote.get(&format!("/v1/turns/{turn}"))?;
        let mut after = turn.revision.to_string();
        while Instant::now() < until {
            let path = format!("/v1/lanes/{}/events?after={after}&wait=5", turn.answer.lane);
            let told: LaneEvents = self.remote.get(&path)?;
            if told.items.iter().any(ends_handover) && !self.is_open(handover)? {
                return Ok(());
            }
            after = told.items.into_iter().filter_map(|event| event.id).next_back().unwrap_or(after);
        }
        self.app.out.note("your agent has not answered yet; an empty line shows its answer when it has");
        Ok(())
    }

    /// True while the effect is the host's to answer. Whoever may not read it believes the turn that says so.
    fn is_open(&self, handover: &str) -> Result<bool, Failure> {
        match self.remote.effect(handover) {
            Ok(effect) => Ok(effect.state == "attempted"),
            Err(failure) if failure.exit_code() == Exit::Refused => Ok(false),
            Err(failure) => Err(failure),
        }
    }
}

/// True for the turn in which the answer of a host, or its absence, was taken in.
fn ends_handover(event: &LaneEvent) -> bool {
    let reason = event.data["reason"].as_str().unwrap_or_default();
    event.event == "turn" && event.data["event"] == "effect.settled" && reason.starts_with("handover.")
}

fn views(messages: &Value) -> Result<Vec<MessageView>, Failure> {
    serde_json::from_value(messages.clone())
        .map_err(|error| Failure::new("cannot read the conversation's messages").because(&error))
}
