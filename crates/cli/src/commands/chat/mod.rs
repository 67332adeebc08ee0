//! `throughline chat`: the terminal as a channel, against an instance in this process or a running one.

mod keyboard;
mod screen;

use std::io::{self, BufRead, IsTerminal};

use serde_json::{Value, json};
use throughline_channels::api::MessageView;
use throughline_channels::terminal::{HELP, Line, parse, pick, safe};

use crate::api::{self, Remote};
use crate::app::App;
use crate::error::{Failure, Outcome};
use crate::exit::Exit;
use crate::key;
use keyboard::{Keyboard, Typed};
use screen::Screen;

/// Talk to it in the terminal; cards are numbered, :1 presses button 1 of the newest
#[derive(Debug, clap::Args)]
#[command(before_help = "\
Examples:
  throughline chat                                     here, with the local store
  throughline chat --session standup                   go on with an earlier one
  throughline chat --server http://127.0.0.1:7070      with a running instance
  printf 'create a bug: login fails\\n:1\\n' | throughline chat --no-input")]
pub(crate) struct Args {
    /// The conversation's name; a new one each time when not said
    #[arg(long, value_name = "NAME")]
    session: Option<String>,
    /// Speak as another user, where your token may
    #[arg(long = "as", value_name = "USER")]
    speaker: Option<String>,
}

pub(crate) fn run(app: &App, args: &Args) -> Outcome {
    let acting = api::beginning(app)?;
    let session = match &args.session {
        Some(session) => session.clone(),
        None => key::fresh("chat")?.chars().take(13).collect(),
    };
    let run: String = key::fresh("")?.chars().take(9).collect();
    let person = !app.flags.no_input && !app.out.is_json() && io::stdin().is_terminal();
    let mut chat = Chat {
        app,
        remote: acting.remote.clone(),
        lane: json!({ "channel": "terminal", "conversation": session }),
        speaker: args.speaker.clone(),
        keys: format!("{session}{run}"),
        sent: 0,
        typed: String::new(),
        id: None,
        last: None,
        screen: Screen::new(),
    };
    app.out.note(&format!(
        "session {session} · :help for help, :quit to leave, an empty line shows what is new"
    ));
    if args.session.is_some() {
        chat.go_on(&session)?;
    }
    let ended = if person { chat.converse() } else { chat.read_lines(io::stdin().lock()) };
    let finished = acting.finish();
    let exit = ended?;
    finished?;
    Ok(exit)
}

/// One conversation.
struct Chat<'a> {
    app: &'a App,
    remote: Remote,
    lane: Value,
    speaker: Option<String>,
    /// What every delivery key of this run begins with.
    keys: String,
    sent: usize,
    /// The lines of a message that goes on in the next one.
    typed: String,
    /// The lane's id, once it is known.
    id: Option<String>,
    /// The last turn, for `:why`.
    last: Option<String>,
    screen: Screen,
}

/// Whether the conversation goes on.
#[derive(PartialEq, Eq)]
enum Next {
    Line,
    Leave,
}

impl Chat<'_> {
    /// With a person at a keyboard.
    fn converse(&mut self) -> Outcome {
        let mut keyboard = Keyboard::open()?;
        loop {
            self.screen.width(keyboard.width());
            match keyboard.read()? {
                Typed::Line(line) => {
                    let next = match self.line(&line) {
                        Ok(next) => next,
                        // A mistake or a refusal is told, and the conversation goes on.
                        Err(failure) if failure.ends() != Exit::Unreachable => {
                            self.app.out.message(&failure.render(self.app.out.paint_messages()));
                            Next::Line
                        }
                        Err(failure) => return Err(failure),
                    };
                    if next == Next::Leave {
                        return Ok(Exit::Ok);
                    }
                }
                Typed::Again => self.app.out.note("Ctrl-C again, Ctrl-D or :quit leaves"),
                Typed::Interrupted => return Ok(Exit::Interrupted),
                Typed::End => return Ok(Exit::Ok),
            }
        }
    }

    /// With lines from a pipe or a file, each shown before its answer so that the output reads as a session.
    fn read_lines(&mut self, lines: impl BufRead) -> Outcome {
        for line in lines.lines() {
            let line = line.map_err(|error| Failure::new("cannot read standard input").because(&error))?;
            if !self.app.out.is_json() && !line.trim().is_empty() {
                let prompt = if self.typed.is_empty() { '>' } else { '…' };
                self.app.out.line(&format!("{prompt} {line}"))?;
            }
            if self.line(&line)? == Next::Leave {
                return Ok(Exit::Ok);
            }
        }
        if !self.typed.is_empty() {
            self.line("")?;
        }
        Ok(Exit::Ok)
    }

    fn line(&mut self, line: &str) -> Result<Next, Failure> {
        // A backslash at the end: the message goes on in the next line.
        if let Some(begun) = line.strip_suffix('\\') {
            self.typed.push_str(begun);
            self.typed.push('\n');
            return Ok(Next::Line);
        }
        let whole = std::mem::take(&mut self.typed) + line;
        match parse(&whole) {
            Line::Empty => self.news()?,
            Line::Quit => return Ok(Next::Leave),
            Line::Help => self.app.out.line(HELP)?,
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
        Ok(Next::Line)
    }

    /// The token behind a number; without one, what there is instead is said.
    fn token(&self, card: Option<usize>, button: usize) -> Option<String> {
        match pick(self.screen.cards(), card, button) {
            Ok(button) => button.token.clone(),
            Err(none) => {
                self.app.out.message(&none.to_string());
                None
            }
        }
    }

    fn why(&self, turn: Option<String>) -> Result<(), Failure> {
        match turn.or_else(|| self.last.clone()) {
            Some(turn) => self.app.out.line(&safe(&self.remote.why(&turn)?.text))?,
            None => self.app.out.message("Nothing has happened yet, so there is nothing to explain"),
        }
        Ok(())
    }

    /// Shows where an earlier conversation of this name stands, so that its cards can be pressed.
    fn go_on(&mut self, session: &str) -> Result<(), Failure> {
        const LOOKED_AT: usize = 2_000;
        let lanes = self.remote.lanes(LOOKED_AT)?;
        let ours = lanes.into_iter().find(|lane| lane.channel == "terminal" && lane.conversation == session);
        self.id = ours.map(|lane| lane.id);
        self.news()
    }

    /// Shows what was said, and which cards changed, since anything was shown.
    fn news(&mut self) -> Result<(), Failure> {
        let Some(id) = &self.id else { return Ok(()) };
        let lane: Value = self.remote.get(&format!("/v1/lanes/{id}"))?;
        let shown = self.screen.show(&views(&lane["messages"])?);
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

    /// Delivers an event, and shows what came of it.
    fn send(&mut self, mut event: Value) -> Result<(), Failure> {
        event["lane"] = self.lane.clone();
        if let Some(speaker) = &self.speaker {
            event["actor"] = json!({ "id": speaker });
        }
        self.sent += 1;
        let said = self.remote.deliver(&format!("{}-{}", self.keys, self.sent), &event)?;
        self.last = Some(said.answer.turn.clone());
        self.id = Some(said.answer.lane.clone());
        // Also for programs: what was shown can be pressed.
        let mut shown = self.screen.show(&views(&said.body["messages"])?);
        if self.app.out.is_json() {
            self.app.out.value(&said.body)?;
            return Ok(());
        }
        let notices = said.answer.effects.iter().filter(|effect| effect.class == "notice");
        shown.extend(notices.filter_map(|notice| Some(safe(notice.body.get("text")?.as_str()?))));
        if shown.is_empty() {
            self.app.out.note(&format!("({})", said.answer.reason));
        }
        self.print(&shown)?;
        // What followed and is not of this turn: a decision's post.
        self.news()
    }
}

fn views(messages: &Value) -> Result<Vec<MessageView>, Failure> {
    serde_json::from_value(messages.clone())
        .map_err(|error| Failure::new("cannot read the conversation's messages").because(&error))
}
