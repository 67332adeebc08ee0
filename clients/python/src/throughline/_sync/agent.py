"""Agent: delivers what people say, performs what the turns ask for, and reports it."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

from .. import models
from .._answers import report
from .._claims import Claims
from .._errors import NoHandler, Problem, Rejected
from .._journal import Journal
from .._types import Act, Execution, Handover
from .client import Throughline

_log = logging.getLogger("throughline")

#: A handler gets the effect and returns what came of it.
Handler = Callable[[Any], Any]
OnHandover = TypeVar("OnHandover", bound=Callable[[Handover], Any])
OnAct = TypeVar("OnAct", bound=Callable[[Act], Any])
OnOption = TypeVar("OnOption", bound=Callable[[Execution], Any])
OnEffect = TypeVar("OnEffect", bound=Handler)


@dataclass
class Said:
    """What became of a message: its turn, and everything that was said to it, in order."""

    turn: models.TurnAnswer
    texts: list[str] = field(default_factory=list[str])

    def __str__(self) -> str:
        lines = [f"it is an answer: {self.applied}"] if self.applied is not None else []
        return "\n".join(lines + self.texts)

    @property
    def applied(self) -> Any:
        """Value that was read as the answer to a question; nothing if there is none."""
        applied = self.turn.get("applied")
        return applied["value"] if applied else None


class Agent:
    """Agent of a host.

    Handlers are registered by class of effect, and an effect is performed by one of them at a time here. What a handler
    returns is reported with the effect's id as the key. A handler that raises `Rejected` is reported so; after any
    other exception nothing is reported, and the effect stays offered. What was offered before this process began is
    performed at the first call: an effect may come again, so use its id as the key of what you do. With `journal`, a
    folder, what was performed and not yet reported is only reported.
    """

    def __init__(
        self,
        url: str | Throughline,
        token: str | None = None,
        *,
        journal: str | os.PathLike[str] | None = None,
    ) -> None:
        self.client = Throughline(url, token) if isinstance(url, str) else url
        self._journal = Journal(journal) if journal is not None else None
        self._handlers: dict[str, Handler] = {}
        self._claims = Claims()
        self._recovered = False

    def on(self, effect_class: str) -> Callable[[OnEffect], OnEffect]:
        """Registers the handler of a class of effects: `@agent.on("tracker.create")`."""

        def register(handler: OnEffect) -> OnEffect:
            self._handlers[effect_class] = handler
            return handler

        return register

    def on_handover(self, handler: OnHandover) -> OnHandover:
        """Registers what answers a message that nothing decided: with a text, `ask(…)`, `show(…)`, or nothing."""
        self._handlers["turn.handover"] = handler
        return handler

    def on_option(self, handler: OnOption) -> OnOption:
        """Registers what executes a chosen option."""
        self._handlers["option.execute"] = handler
        return handler

    def on_act(self, handler: OnAct) -> OnAct:
        """Registers what performs an act that you asked leave for and that a person approved."""
        self._handlers["host.act"] = handler
        return handler

    def say(
        self,
        text: str,
        *,
        conversation: str,
        user: str,
        thread: str | None = None,
        channel: str | None = None,
        key: str | None = None,
    ) -> Said:
        """Delivers a person's message, performs what it asks for, and returns what was said to it."""
        lane: models.EventLane = {"conversation": conversation}
        if thread is not None:
            lane["thread"] = thread
        if channel is not None:
            lane["channel"] = channel
        return self.deliver(
            {"lane": lane, "actor": {"id": user}, "kind": "message.posted", "text": text}, key=key
        )

    def deliver(self, event: models.EventBody, *, key: str | None = None) -> Said:
        """Delivers any event, as a press, and performs what it asks for."""
        if not self._recovered:
            self._recover_or_log()
        return self.perform(self.client.deliver(event, key=key))

    def perform(self, turn: models.TurnAnswer) -> Said:
        """Performs what a turn asks for; for turns that came otherwise, as by `client.decide`."""
        said = Said(turn)
        for effect in turn["effects"]:
            done = self._perform(effect) if _offered(effect) else None
            answer = done.get("answer") if done else None
            assistant = answer.get("assistant") if answer else None
            if assistant:
                said.texts.append(assistant["text"])
        said.texts += [message["text"] for message in turn["messages"]]
        return said

    def recover(self) -> int:
        """Performs everything that is offered and not reported, oldest first, and returns how much that was.

        An effect without a handler here is another process's, and is left alone. If handlers raise, the others are
        performed all the same, and the first exception is raised at the end.
        """
        for kept in self._journal.effects() if self._journal else []:
            self._report_kept(kept)
        offered = [effect for effect in self.client.effects(state="attempted")]
        self._recovered = True
        ours = [effect for effect in reversed(offered) if _offered(effect) and effect["class"] in self._handlers]
        failed: list[Exception] = []
        for effect in ours:
            try:
                self._perform(effect)
            except Exception as why:
                failed.append(why)
        if failed:
            raise failed[0]
        return len(ours)

    def run(self, *, every: float = 1.0) -> None:
        """Performs what is offered in any conversation, until it is interrupted; asks every so many seconds."""
        while True:
            self._recover_or_log()
            time.sleep(every)

    def _recover_or_log(self) -> None:
        try:
            self.recover()
        except Exception:
            _log.exception("an effect that was offered before failed; it stays offered")

    def _perform(self, effect: models.Effect) -> models.ResultReport | None:
        if not self._claims.take(effect["id"]):
            return None
        try:
            done = self._done(effect)
            self._report(effect["id"], done)
        except BaseException:
            self._claims.give_back(effect["id"])
            raise
        return done

    def _done(self, effect: models.Effect) -> models.ResultReport:
        """Performs an effect, unless that was done before and only its report is missing."""
        kept = self._journal.get(effect["id"]) if self._journal else None
        if kept is not None:
            return kept
        handler = self._handlers.get(effect["class"])
        if handler is None:
            raise NoHandler(effect["class"], effect["id"])
        done: models.ResultReport
        try:
            done = report(effect["class"], handler(cast(Any, effect)))
        except Rejected as why:
            done = {"outcome": "rejected", "error": str(why)}
        if self._journal:
            self._journal.put(effect["id"], done)
        return done

    def _report(self, effect: str, done: models.ResultReport) -> None:
        try:
            self.client.report(effect, done)
        except Problem as refused:
            # It was taken back by a "stop", ended while it was performed, or was erased.
            if refused.status not in (404, 409):
                raise
            _log.warning("the effect %s ended otherwise meanwhile: %s", effect, refused.detail)
        if self._journal:
            self._journal.remove(effect)

    def _report_kept(self, effect: str) -> None:
        done = self._journal.get(effect) if self._journal else None
        if done is None:
            return
        try:
            self._report(effect, done)
        except Problem as refused:
            # Its time was over, and it is uncertain now: a person is asked, unless the token may say it.
            _log.warning("what became of the effect %s cannot be reported: %s", effect, refused.detail)


def _offered(effect: models.Effect) -> bool:
    return effect["delivery"] == "host" and effect["state"] == "attempted"
