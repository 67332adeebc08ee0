"""The turn of B3 as users of LangGraph write it: a graph of three nodes over the PostgreSQL checkpointer.

Five turns make a round of a conversation: three requests that are answered at once, one that is not clear, so that the
graph interrupts to ask, and the answer that resumes it. Prints one line of JSON.
"""

import argparse
import asyncio
import json
import multiprocessing
import time
from typing import Annotated

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.types import Command, interrupt
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

REQUEST = "Please review the proposal for the billing team"
UNCLEAR = "What do you think about microservices for the billing team?"
ANSWER = "I cannot review here yet. What I can do: create a ticket from a message, and show what waits."

ROUND = 5
# A conversation with a short past is left for a fresh one after so many turns: it stays short.
TURNS_OF_A_SHORT_ONE = 2 * ROUND
# Fresh ones that are made before the clock runs.
SHORT_ONES = 240


def newest(seen, more):
    """The delivery keys that are remembered."""
    return (seen + more)[-200:]


class State(MessagesState):
    """What a conversation keeps."""

    seen: Annotated[list[str], newest]
    fresh: bool
    label: str


async def dedupe(state: State):
    """A message that was handled before goes no further."""
    key = state["messages"][-1].id
    fresh = key not in state.get("seen", [])
    return {"fresh": fresh, "seen": [key] if fresh else []}


async def classify(state: State):
    """A stub in place of a model; what is not clear is asked about."""
    text = state["messages"][-1].content
    if text.startswith("Please"):
        return {"label": "request"}
    chosen = interrupt({"question": "What should I do with this?", "options": ["review", "ticket", "not now"]})
    return {"label": chosen}


async def classify_only(state: State):
    """The same without a question: for the best set-up."""
    text = state["messages"][-1].content
    return {"label": "request" if text.startswith("Please") else "unclear"}


async def reply(state: State):
    """Says something."""
    return {"messages": [AIMessage(content=ANSWER)]}


def graph(saver, interrupts):
    """The three nodes."""
    built = StateGraph(State)
    built.add_node("dedupe", dedupe)
    built.add_node("classify", classify if interrupts else classify_only)
    built.add_node("reply", reply)
    built.add_edge(START, "dedupe")
    built.add_conditional_edges("dedupe", lambda state: "classify" if state["fresh"] else END, ["classify", END])
    built.add_edge("classify", "reply")
    built.add_edge("reply", END)
    return built.compile(checkpointer=saver)


class Conversations:
    """One process's conversations, and what it takes to have them."""

    def __init__(self, compiled, options, name):
        self.graph = compiled
        self.options = options
        self.name = name
        self.durability = "exit" if options.best else "async"

    @staticmethod
    def of(thread):
        return {"configurable": {"thread_id": thread}}

    async def prepare(self, thread, messages):
        """Gives a conversation its past, unless it has one."""
        state = await self.graph.aget_state(self.of(thread))
        if state.values.get("messages"):
            return
        past = []
        for n in range(messages):
            said = HumanMessage if n % 2 == 0 else AIMessage
            past.append(said(content=REQUEST if n % 2 == 0 else ANSWER, id=f"past-{n}"))
        await self.graph.aupdate_state(self.of(thread), {"messages": past, "seen": []}, as_node="reply")

    async def turn(self, thread, n):
        """The n-th turn of a conversation."""
        place = n % ROUND
        if place == ROUND - 1 and not self.options.best:
            given = Command(resume="not now")
        else:
            text = UNCLEAR if place == ROUND - 2 and not self.options.best else REQUEST
            given = {"messages": [HumanMessage(content=text, id=f"{self.name}-{time.monotonic_ns()}")]}
        await self.graph.ainvoke(given, self.of(thread), durability=self.durability)

    async def person(self, threads, deadline, took):
        """Goes through turns until the time is over."""
        turns, at = 0, 0
        while time.perf_counter() < deadline:
            began = time.perf_counter()
            await self.turn(threads[at], turns)
            took.append(time.perf_counter() - began)
            turns += 1
            if len(threads) > 1 and turns % TURNS_OF_A_SHORT_ONE == 0:
                at = (at + 1) % len(threads)


async def process(options, number, barrier):
    """One process: its connections, its people, what each of their turns took."""
    people = options.threads // options.processes
    settings = {"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row}
    pool = AsyncConnectionPool(options.dsn, min_size=people, max_size=people + 4, kwargs=settings, open=False)
    await pool.open(wait=True)
    saver = AsyncPostgresSaver(pool)
    if number == 0:
        await saver.setup()
    barrier.wait()
    all_of_us = Conversations(graph(saver, not options.best), options, f"{options.run}-{number}")
    short = options.messages <= 100
    theirs = []
    for person in range(people):
        count = max(2, SHORT_ONES // options.threads) if short else 1
        name = options.run if short else "long"
        threads = [f"{name}-{options.messages}-{options.threads}-{number}-{person}-{n}" for n in range(count)]
        for thread in threads:
            await all_of_us.prepare(thread, options.messages)
        theirs.append(threads)
    # Warm: every statement prepared, every path of the graph taken.
    warm = [f"warm-{all_of_us.name}-{person}" for person in range(people)]
    await asyncio.gather(*(all_of_us.prepare(thread, 2) for thread in warm))
    for n in range(ROUND):
        await asyncio.gather(*(all_of_us.turn(thread, n) for thread in warm))
    barrier.wait()
    took = []
    began = time.perf_counter()
    deadline = began + options.seconds
    await asyncio.gather(*(all_of_us.person(threads, deadline, took) for threads in theirs))
    seconds = time.perf_counter() - began
    await pool.close()
    return took, seconds


def child(options, number, barrier, results):
    """The entry of a process."""
    results.put(asyncio.run(process(options, number, barrier)))


def main():
    """Runs the processes and adds up."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--dsn", required=True)
    arguments.add_argument("--run", required=True, help="a word that no other run on this database had")
    arguments.add_argument("--threads", type=int, default=1, help="conversations at once")
    arguments.add_argument("--processes", type=int, default=1)
    arguments.add_argument("--messages", type=int, default=10, help="of a conversation's past")
    arguments.add_argument("--seconds", type=float, default=5.0)
    arguments.add_argument("--best", action="store_true", help="durability at exit, no interrupts")
    options = arguments.parse_args()
    spawn = multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(options.processes), spawn.Queue()
    running = [spawn.Process(target=child, args=(options, n, barrier, results)) for n in range(options.processes)]
    for one in running:
        one.start()
    told = [results.get(timeout=600) for _ in running]
    for one in running:
        one.join()
    took = sorted(1e3 * seconds for times, _ in told for seconds in times)
    per_second = sum(len(times) / seconds for times, seconds in told)
    quantile = lambda part: took[round((len(took) - 1) * part)]
    print(json.dumps({"turns": len(took), "per_second": per_second, "p50": quantile(0.5), "p99": quantile(0.99)}))


if __name__ == "__main__":
    main()
