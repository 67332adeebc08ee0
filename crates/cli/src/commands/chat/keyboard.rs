//! Reads lines from a keyboard, with editing and history. A second Ctrl-C in a row quits.

use std::path::PathBuf;

use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;
use rustyline::{Config, Editor};

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
    pub(super) fn open() -> Result<Self, Failure> {
        let config = Config::builder().auto_add_history(true).build();
        let mut editor = Editor::with_config(config)
            .map_err(|error| Failure::new("cannot use the terminal").because(&error))?;
        let history = history();
        if let Some(file) = &history {
            // There is no file before the first use.
            let _ = editor.load_history(file);
        }
        Ok(Self { editor, history, interrupted: false })
    }

    /// Returns the width of the terminal in columns.
    pub(super) fn width(&mut self) -> Option<usize> {
        self.editor.dimensions().map(|(columns, _)| usize::from(columns))
    }

    pub(super) fn read(&mut self) -> Result<Typed, Failure> {
        let typed = match self.editor.readline(PROMPT) {
            Ok(line) => Typed::Line(line),
            Err(ReadlineError::Interrupted) if self.interrupted => Typed::SecondInterrupt,
            Err(ReadlineError::Interrupted) => Typed::FirstInterrupt,
            Err(ReadlineError::Eof) => Typed::End,
            Err(error) => return Err(Failure::new("cannot read from the terminal").because(&error)),
        };
        self.interrupted = matches!(typed, Typed::FirstInterrupt);
        Ok(typed)
    }
}

impl Drop for Keyboard {
    fn drop(&mut self) {
        if let Some(file) = &self.history {
            let made = file.parent().is_some_and(|folder| std::fs::create_dir_all(folder).is_ok());
            // The conversation was fine even if its history cannot be saved.
            let _ = made && self.editor.save_history(file).is_ok();
        }
    }
}

fn history() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| Some(variable("HOME")?.join(".local/state")))?;
    Some(state.join("throughline").join("chat-history"))
}
