"""Types that the description of the API leaves open: the content of effects, and the tenant's events."""

from __future__ import annotations

from typing import Any

from typing_extensions import NotRequired, TypedDict


class Question(TypedDict):
    """Question that waits for an answer in a message."""

    id: str
    text: str
    expected: NotRequired[Any]
    asked_of: NotRequired[str]


class ListInSight(TypedDict):
    """List that the author of a message sees: its options as they are numbered, and those that the text resembles."""

    id: str
    options: list[str]
    candidates: NotRequired[list[str]]


class Handover(TypedDict):
    """Effect `turn.handover`: a message that nothing decided, with what an agent needs to answer it."""

    id: str
    lane: str
    turn: str
    message: str
    by: str
    text: str
    context: str
    deadline: str
    task: str
    files: NotRequired[list[Any]]
    hint: NotRequired[Any]
    questions: NotRequired[list[Question]]
    lists: NotRequired[list[ListInSight]]
    handoff: NotRequired[Any]
    unsaid: NotRequired[str]


class Execution(TypedDict):
    """Effect `option.execute`: a chosen option. `id` is the idempotency key of what you do, `exec_ref` is yours."""

    id: str
    lane: str
    turn: str
    set: str
    option: str
    label: str
    exec_ref: str
    user: str
    scope_instance: str
    #: The approval that released it, as `ap_… v1`; absent if it needed none.
    approval: NotRequired[str]


class Act(TypedDict):
    """Effect `host.act`: an act that was approved. `id` is the idempotency key of what you do, `payload` its JSON."""

    id: str
    lane: str
    turn: str
    request_id: str
    title: str
    target: str
    payload: str
    payload_sha256: str
    lines: NotRequired[list[str]]


class Event(TypedDict):
    """Event of the tenant's stream, and body of a webhook."""

    id: str
    type: str
    at: str
    lane: NotRequired[str | None]
    place: NotRequired[Any]
    turn: NotRequired[str | None]
    data: Any


class Events(TypedDict):
    """Batch of the tenant's events; `cursor` is the position behind it."""

    items: list[Event]
    cursor: str
