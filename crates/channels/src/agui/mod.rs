//! AG-UI: the input of a run and the events that answer it, protocol version 1.0 (`docs/design/0073-ag-ui.md`). Reading is
//! total and pure; which lane, which rights and what happens are the server's.

mod event;
mod input;

pub use event::{
    AssistantTurn, FunctionCall, HistoryMessage, Interrupt, InterruptReason, Outcome, PROTOCOL, RunEvent,
    ToolCall,
};
pub use input::{Answer, ResumeEntry, RunIds, RunInput, UserMessage};
