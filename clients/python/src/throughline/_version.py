"""Version of this package. It speaks to servers of the same line: the same `0.x`, or the same major version."""

import re

__version__ = "0.1.0"


class VersionWarning(UserWarning):
    """Client and server are of different lines. `warnings.filterwarnings("error", …)` makes it an error."""


def line(version: str) -> tuple[int, ...]:
    """Returns the part of a version that has to be equal: `(0, 1)` of `0.1.7`, `(2,)` of `2.3.0`, `()` of none."""
    found = re.match(r"(\d+)\.(\d+)", version)
    if not found:
        return ()
    major, minor = int(found[1]), int(found[2])
    return (major,) if major else (major, minor)


def mismatch(server: str) -> str | None:
    """Returns what to tell the user if the server is of another line, else nothing."""
    if line(server) == line(__version__):
        return None
    newer = line(server) > line(__version__)
    which = "upgrade the package `throughline`" if newer else "upgrade the server, or install an older `throughline`"
    return f"the client is throughline {__version__}, the server {server}: {which}, so that both are of one line"
