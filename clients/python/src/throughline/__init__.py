"""Client of Throughline, a turn engine for chat agents.

`Agent` is an agent in twenty lines, `Throughline` the HTTP API; `AsyncAgent` and `AsyncThroughline` are the same for
asyncio. `webhooks.verify` verifies webhooks, `models` has the types.
"""

from . import models, webhooks
from ._answers import ask, reply, show
from ._async.agent import AsyncAgent
from ._async.client import AsyncThroughline
from ._errors import NoHandler, Problem, Rejected, ThroughlineError, Undecided, Unexpected, Unreachable
from ._journal import Journal
from ._sync.agent import Agent, Said
from ._sync.client import Throughline
from ._types import Act, Event, Events, Execution, Handover
from ._version import VersionWarning, __version__

__all__ = [
    "Act",
    "Agent",
    "AsyncAgent",
    "AsyncThroughline",
    "Event",
    "Events",
    "Execution",
    "Handover",
    "Journal",
    "NoHandler",
    "Problem",
    "Rejected",
    "Said",
    "Throughline",
    "ThroughlineError",
    "Undecided",
    "Unexpected",
    "Unreachable",
    "VersionWarning",
    "__version__",
    "ask",
    "models",
    "reply",
    "show",
    "webhooks",
]
