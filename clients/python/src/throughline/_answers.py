"""Answers of an agent to a handover, and what is reported of a handler's result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from .models import AnswerBody, EventAssistant, OptionBody, Remote, ResultReport, ShownBody, SnapshotBody


def reply(text: str) -> AnswerBody:
    """Answers. A handler may return the text alone as well."""
    return {"assistant": {"kind": "answer", "text": text}}


def ask(text: str, *, expected: str | None = None, of: str | None = None) -> AnswerBody:
    """Asks. `expected` is `boolean`, `number`, `location`, `text` or `selection:A|B`; `of` is who is asked."""
    assistant: EventAssistant = {"kind": "question", "text": text}
    if expected is not None:
        assistant["expected"] = expected
    if of is not None:
        assistant["asked_of"] = of
    return {"assistant": assistant}


def show(
    options: Mapping[str, str] | Iterable[OptionBody],
    text: str | None = None,
    *,
    place: str = "chat",
    scope: Literal["chat", "widget", "dashboard", "workspace"] = "chat",
) -> AnswerBody:
    """Shows options: labels by the reference that a choice executes, or whole options.

    `text` is what is said with them; the labels if it is absent. `place` is your id of where they are shown: a new list
    there replaces the one before.
    """
    if isinstance(options, Mapping):
        labels = cast("Mapping[str, str]", options)
        listed: list[OptionBody] = [{"id": ref, "label": label, "exec_ref": ref} for ref, label in labels.items()]
    else:
        listed = list(options)
    shown: ShownBody = {"scope": scope, "scope_instance": place, "options": listed}
    said = ", ".join(option["label"] for option in listed) if text is None else text
    answer: AnswerBody = {"shown": shown}
    if said:
        answer["assistant"] = {"kind": "answer", "text": said}
    return answer


def report(effect_class: str, result: Any) -> ResultReport:
    """Returns the report on an effect that a handler performed with this result."""
    done: ResultReport = {"outcome": "applied"}
    if result is None:
        return done
    if effect_class == "turn.handover":
        done["answer"] = reply(result) if isinstance(result, str) else cast(AnswerBody, result)
    elif effect_class == "evidence.fetch":
        done["snapshot"] = cast(SnapshotBody, result)
    else:
        done["remote"] = {"text": result} if isinstance(result, str) else cast(Remote, result)
    return done
