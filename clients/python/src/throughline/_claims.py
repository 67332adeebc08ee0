"""Effects that are performed in this process, so that none is performed twice at once, or again after an old list."""

from __future__ import annotations

import threading

#: Number of performed effects that are remembered: more than any list of offered ones holds by far.
REMEMBERED = 10_000


class Claims:
    """Claims on effects, by threads and tasks of one agent."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._taken: dict[str, None] = {}

    def take(self, effect: str) -> bool:
        """Claims an effect. False if it is being performed, or was."""
        with self._lock:
            if effect in self._taken:
                return False
            if len(self._taken) >= REMEMBERED:
                del self._taken[next(iter(self._taken))]
            self._taken[effect] = None
            return True

    def give_back(self, effect: str) -> None:
        """Ends a claim on an effect that was not reported, so that it is tried again."""
        with self._lock:
            self._taken.pop(effect, None)
