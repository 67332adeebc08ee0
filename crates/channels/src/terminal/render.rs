//! Renders a message as plain text: text wrapped, a card with numbered buttons. No frame and no colour, so that it
//! reads the same in a log, in a pipe and to a screen reader (`docs/design/0035-channels.md`).

use throughline_engine::data::action::CardStep;
use throughline_engine::data::card_model::{Button, CardModel, Field, ItemModel};
use throughline_engine::data::field_error::FieldError;
use throughline_engine::data::message::{MessageKind, Role};

use super::measure::{cells, safe, wrap};
use crate::api::MessageView;

/// The narrowest width that is rendered for; on a narrower terminal, the terminal breaks the lines.
pub const MIN_WIDTH: usize = 20;

/// The widest column of field labels.
const MAX_LABEL: usize = 22;

/// The narrowest column for a field's text beside its label; with less it goes below.
const MIN_FIELD: usize = 24;

/// Renders a message for a terminal of that many columns, without a line break at the end. Total: any text in it is
/// shown, nothing in it is obeyed.
#[must_use]
pub fn render(view: &MessageView, width: usize) -> String {
    render_numbered(view, None, width)
}

/// Renders a message with the number of its card in this chat, by which `:2.1` names it later.
#[must_use]
pub fn render_numbered(view: &MessageView, number: Option<usize>, width: usize) -> String {
    let width = width.max(MIN_WIDTH);
    let lines = match &view.card {
        Some(card) => card_lines(card, number, width),
        None => {
            let (first, rest) = match (view.role, view.kind) {
                (Role::User, _) => ("> ", "  "),
                (Role::Assistant, Some(MessageKind::Notification)) => ("· ", "  "),
                (Role::Assistant, _) => ("", ""),
            };
            wrap(&safe(&view.text), first, rest, width)
        }
    };
    lines.join("\n")
}

fn card_lines(card: &CardModel, number: Option<usize>, width: usize) -> Vec<String> {
    let mut lines = title(card, number, width);
    lines.extend(packed(card.facts.iter().map(|fact| one_line(fact)), " · ", width));
    lines.extend(fields(card.fields.iter(), width));
    lines.extend(wrong(card.errors.iter(), "", width));
    let options = card.step == CardStep::Options;
    let pressable = || card.buttons.iter().filter(|button| button.blocked.is_none());
    let mut number = if options { 0 } else { pressable().count() };
    for item in &card.items {
        lines.extend(if options {
            option(item, number, width)
        } else {
            self::item(card, item, number, width)
        });
        number += item.buttons.len();
    }
    if let Some(link) = &card.link {
        lines.extend(wrap(&one_line(link), "→ ", "  ", width));
    }
    let before = if options { number } else { 0 };
    let own = pressable().enumerate().map(|(n, button)| choice((before + n, button)));
    lines.extend(packed(own, "  ", width));
    for button in &card.buttons {
        let why = button.blocked.iter().map(|why| format!("{}: {why}", button.label));
        lines.extend(why.flat_map(|line| wrap(&one_line(&line), "", "  ", width)));
    }
    lines
}

/// One option; the line is its button.
fn option(item: &ItemModel, before: usize, width: usize) -> Vec<String> {
    let state =
        Some(&item.state).filter(|state| !state.is_empty()).map(|state| format!(" · {}", one_line(state)));
    let line =
        |(n, button)| format!("{}{}", choice((before + n, button)), state.as_deref().unwrap_or_default());
    item.buttons.iter().enumerate().flat_map(|it| wrap(&line(it), "", "   ", width)).collect()
}

fn wrong<'e>(errors: impl Iterator<Item = &'e FieldError>, indent: &str, width: usize) -> Vec<String> {
    let (first, rest) = (format!("{indent}✗ "), format!("{indent}  "));
    errors.flat_map(|error| wrap(&one_line(&error.display_text()), &first, &rest, width)).collect()
}

/// One item of a card. Its buttons are numbered after the card's own and those of the items before.
fn item(card: &CardModel, item: &ItemModel, before: usize, width: usize) -> Vec<String> {
    // Title, state and link, side by side where there is room.
    let title = format!("{}: {}", item.label, item.title);
    let state = Some(item.state.clone()).filter(|state| !state.is_empty());
    let head = [Some(title), state].into_iter().flatten().map(|part| one_line(&part));
    let head = packed(head, " · ", width - 2);
    let link = item.link.as_ref().map(|link| format!("→ {}", one_line(link)));
    let head = packed(head.into_iter().chain(link), " ", width - 2);
    let bullet = |(n, line): (usize, String)| format!("{}{line}", if n == 0 { "• " } else { "  " });
    let mut lines: Vec<String> = head.into_iter().enumerate().map(bullet).collect();
    lines.extend(fields(item.shown(card), width));
    lines.extend(wrong(item.listed_errors(), "  ", width));
    let choices = item.buttons.iter().enumerate().map(|(n, button)| choice((before + n, button)));
    lines.extend(packed(choices, "  ", width.saturating_sub(2)).into_iter().map(|line| format!("  {line}")));
    lines
}

/// Keeps a line one line: a line break in a title must not begin something that looks like a button.
fn one_line(text: &str) -> String {
    safe(text).replace('\n', " ")
}

/// Puts pieces side by side and breaks between them; a piece longer than a line is broken at its blanks.
fn packed(pieces: impl Iterator<Item = String>, between: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(line) if cells(line) + cells(between) + cells(&piece) <= width => {
                line.push_str(between);
                line.push_str(&piece);
            }
            _ => lines.extend(wrap(&piece, "", "  ", width)),
        }
    }
    lines
}

/// The title, with version and hash at the right edge.
fn title(card: &CardModel, number: Option<usize>, width: usize) -> Vec<String> {
    let number = number.map(|number| format!("[{number}] ")).unwrap_or_default();
    let mut lines = wrap(&one_line(&card.title), &number, &" ".repeat(cells(&number).max(2)), width);
    if let Some(hash) = &card.hash {
        let version = one_line(&format!("v{} · {hash}", card.version));
        let (left, right) = (cells(&lines[0]), cells(&version));
        if lines.len() == 1 && left + 2 + right <= width {
            lines[0].push_str(&" ".repeat(width - left - right));
            lines[0].push_str(&version);
        } else {
            lines.push(version);
        }
    }
    lines
}

fn fields<'f>(fields: impl Iterator<Item = &'f Field>, width: usize) -> Vec<String> {
    // An empty field is only for the edit form.
    let fields: Vec<&Field> = fields.filter(|field| field.is_shown()).collect();
    let labels: Vec<String> = fields.iter().map(|field| one_line(&field.label)).collect();
    let column = labels.iter().map(|label| cells(label)).max().unwrap_or(0).min(MAX_LABEL);
    let hanging = " ".repeat(column + 4);
    let beside = width >= column + 4 + MIN_FIELD;
    let mut lines = Vec::new();
    for (field, label) in fields.into_iter().zip(labels) {
        let text = safe(&field.shown_text());
        if beside && cells(&label) <= column {
            let pad = " ".repeat(column - cells(&label) + 2);
            lines.extend(wrap(&text, &format!("  {label}{pad}"), &hanging, width));
        } else {
            lines.extend(wrap(&label, "  ", "  ", width));
            lines.extend(wrap(&text, "    ", "    ", width));
        }
    }
    lines
}

/// Renders a button, as in `:1 Approve  :2 Edit  :3 Reject`.
fn choice((n, button): (usize, &Button)) -> String {
    let tick = match button.on {
        Some(true) => "[x] ",
        Some(false) => "[ ] ",
        None => "",
    };
    format!(":{} {tick}{}", n + 1, one_line(&button.label))
}

#[cfg(test)]
mod tests;
