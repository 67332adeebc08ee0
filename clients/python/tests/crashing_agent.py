"""Agent that ends as by a crash at one point: `python crashing_agent.py URL FOLDER POINT [TEXT …]`.

What it performs it writes into FOLDER/done. Without texts it recovers what was offered.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

from throughline import Agent, Execution, Handover, show

url, folder, point, *texts = sys.argv[1:]
agent = Agent(url, journal=Path(folder) / "journal")


def crash_at(here: str) -> None:
    """Ends the process without any tidying."""
    if here == point:
        os.kill(os.getpid(), signal.SIGKILL)


def performed(what: str) -> None:
    """Writes down what was done in the world."""
    with (Path(folder) / "done").open("a") as file:
        file.write(f"{what}\n")


@agent.on_handover
def answer(message: Handover) -> object:
    crash_at("handover")
    performed(f"answer {message['id']}")
    return show({"casa": "Casa Azul", "lisbon": "Lisbon Inn"})


@agent.on_option
def book(option: Execution) -> None:
    crash_at("option")
    performed(f"book {option['id']}")


report = agent.client.report


def crashing_report(effect: str, done: Any) -> Any:
    """Crashes before or after the report was taken."""
    kind = "answer" if "answer" in done else "option"
    crash_at(f"before the report of the {kind}")
    settled = report(effect, done)
    crash_at(f"after the report of the {kind}")
    return settled


setattr(agent.client, "report", crashing_report)  # noqa: B010
if not texts:
    agent.recover()
for text in texts:
    agent.say(text, conversation="trip", user="ana")
