//! Reads lines from a keyboard, with editing and a history for each server. A second Ctrl-C in a row quits.

use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};
use throughline_engine::data::canonical_json::{hex, sha256};

use super::follow::Printer;
use crate::error::Failure;

const PROMPT: &str = "> ";

/// A line editor with a history file.
pub(super) struct Keyboard {
    editor: Editor<(), FileHistory>,
    history: Option<PathBuf>,
    interrupted: bool,
}

/// An input from the keyboard.
pub(super) enum Typed {
    /// A line.
    Line(String),
    /// The first Ctrl-C, which drops the line.
    FirstInterrupt,
    /// A second Ctrl-C in a row.
    SecondInterrupt,
    /// Ctrl-D.
    End,
}

impl Keyboard {
    /// Opens the keyboard with the history of a place: a server's address, or that of a store.
    pub(super) fn open(place: &str) -> Result<Self, Failure> {
        let config = Config::builder().auto_add_history(false).build();
        let mut editor = Editor::with_config(config)
            .map_err(|error| Failure::new("cannot use the terminal").because(&error))?;
        let history = history(place);
        if let Some(file) = &history {
            // There is no file before the first use.
            let _ = editor.load_history(file);
        }
        Ok(Self { editor, history, interrupted: false })
    }

    /// Returns a printer that writes above the line that is being typed.
    pub(super) fn printer(&mut self) -> Option<Printer> {
        let printer = self.editor.create_external_printer().ok()?;
        Some(Box::new(printer))
    }

    pub(super) fn read(&mut self) -> Result<Typed, Failure> {
        let typed = match self.editor.readline(PROMPT) {
            Ok(line) => {
                self.remember(&line);
                Typed::Line(line)
            }
            Err(ReadlineError::Interrupted) if self.interrupted => Typed::SecondInterrupt,
            Err(ReadlineError::Interrupted) => Typed::FirstInterrupt,
            Err(ReadlineError::Eof) => Typed::End,
            Err(error) => return Err(Failure::new("cannot read from the terminal").because(&error)),
        };
        self.interrupted = matches!(typed, Typed::FirstInterrupt);
        Ok(typed)
    }

    /// Adds a line to the history at once: a terminal may be closed at any moment, and others may write beside it.
    fn remember(&mut self, line: &str) {
        // Nothing of the conversation depends on it.
        let added = !line.trim().is_empty() && self.editor.add_history_entry(line).unwrap_or(false);
        if let Some(file) = self.history.as_ref().filter(|_| added) {
            let made = file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
            let _ = made && self.editor.append_history(file).is_ok();
        }
    }
}

/// Returns the file of the history of a place.
fn history(place: &str) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))?;
    let digest = hex(&sha256(&[place.as_bytes()]));
    Some(state.join("throughline").join(format!("chat-history-{}", &digest[..16])))
}
