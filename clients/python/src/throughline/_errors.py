"""Errors of calls. Each says what failed and what to do; a refusal has the server's stable code."""

from __future__ import annotations

from typing import Any


class ThroughlineError(Exception):
    """Error of this package: whichever call failed, it is one of these."""


class Unreachable(ThroughlineError):
    """No answer came until the call's patience was over. It may have been taken or not: repeat it with `key`."""

    def __init__(self, act: str, why: str, key: str | None) -> None:
        again = f"; repeat it with key={key!r}, which is safe" if key else ""
        super().__init__(f"{act}: {why}{again}")
        self.key = key


class Undecided(ThroughlineError):
    """The event is durable, and its turn did not run until the call's patience was over. `href` is where it will be."""

    def __init__(self, act: str, href: str, key: str | None) -> None:
        super().__init__(f"{act}: it is durable, but its turn has not run yet; read it at {href} later")
        self.href = href
        self.key = key


class Unexpected(ThroughlineError):
    """An answer that no Throughline gives, as of a proxy in between or of a wrong address."""

    def __init__(self, act: str, status: int, body: str) -> None:
        start = f", which begins {body[:80]!r}" if body else ""
        super().__init__(f"{act}: answered with status {status}{start}; is the address Throughline's?")
        self.status = status


class NoHandler(ThroughlineError):
    """An effect came that this agent has no handler for. It stays offered, so nothing is lost."""

    def __init__(self, effect_class: str, effect: str) -> None:
        super().__init__(
            f"the effect {effect} asks for {effect_class}, and this agent has no handler: "
            f"register one with @agent.on({effect_class!r})"
        )
        self.effect_class = effect_class
        self.effect = effect


class Rejected(ThroughlineError):
    """Raised by a handler that did not perform its effect and never will: it is reported as rejected, with the text."""


class Problem(ThroughlineError):
    """Refusal by the server (RFC 9457).

    `code` (`TL-2203`) and `name` (`idempotency.key_reused`) are stable, `detail` is about this request. `errors`
    has the wrong members of the body, each with its `pointer` and `text`. `members` is the whole answer.
    """

    def __init__(self, act: str, status: int, members: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.members = members
        self.code = str(members.get("code", ""))
        self.name = str(members.get("name", ""))
        self.title = str(members.get("title", ""))
        self.detail = str(members.get("detail", ""))
        self.errors: list[dict[str, Any]] = list(members.get("errors") or [])
        self.turn: str | None = members.get("turn")
        self.retry_after = retry_after
        places = "".join(f"\n  {error.get('pointer', '')}: {error.get('text', '')}" for error in self.errors)
        super().__init__(f"{act}: {self.detail or self.title} ({self.code} {self.name}, {status}){places}")
