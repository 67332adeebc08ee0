"""Repeating of calls: how long, and with which pauses. No clock and no network in here."""

from __future__ import annotations

import random
from email.utils import parsedate_to_datetime

#: Pause before the first repetition, in seconds; it doubles up to `LONGEST`.
FIRST = 0.1
LONGEST = 5.0


class Patience:
    """Time that a call may take with its repetitions, in seconds."""

    def __init__(self, limit: float, now: float) -> None:
        self._limit = limit
        self._until = now + limit
        self._tried = 0

    def pause(self, now: float, asked: float | None = None) -> float | None:
        """Returns how long to pause before the next try, or nothing if that would be too long.

        `asked` is what the server asked for. Otherwise the pauses double, and part of each is by chance, so that many
        clients do not come back in one moment.
        """
        self._tried += 1
        grown = min(LONGEST, FIRST * 2 ** min(self._tried - 1, 10))
        pause = asked if asked is not None else grown * (0.5 + random.random() / 2)
        return pause if now + pause <= self._until else None

    def renew(self, now: float) -> None:
        """Begins anew, after something arrived."""
        self._until, self._tried = now + self._limit, 0


def retry_after(value: str | None, now: float) -> float | None:
    """Reads `Retry-After`, seconds or a date, as seconds from `now`, which is Unix time. Nothing if it is neither."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - now)
    except (TypeError, ValueError):
        return None
