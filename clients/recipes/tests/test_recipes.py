"""The recipes against the program: what is dangerous happens at most once, whoever is killed, and is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest
from conftest import Server
from conversation import Conversation
from harness import CONFIG, HERE, Kill, Recipe, Step, change
from throughline import Problem

PAGES = HERE.parents[1] / "docs"
APPROVED = [
    Step("the backups are listed", r"^GET /step/listed/"),
    Step("the approval is asked for", r"^POST /v1/events .*approval\.requested"),
    Step("the message is reported", r"^POST /v1/effects/\w+/result "),
    Step("the backups are deleted", r"^GET /step/deleted/"),
    Step("the end is told", r"^POST /v1/events .*assistant\.posted"),
    Step("the act is reported", r"^POST /v1/effects/\w+/result ", nth=2),
]
REFUSED = [
    Step("the refusal is read", r"^GET /v1/approvals/\w+ ", answer='"state":"rejected"'),
    Step("the refusal is told", r"^POST /v1/events .*assistant\.posted"),
]
KILLS = [
    (step, when, sides)
    for step in APPROVED + REFUSED
    for when in ("before", "after")
    for sides in (("agent",), ("server",), ("agent", "server"))
    # Both at once where it matters most; each alone everywhere.
    if len(sides) == 1 or step.name == "the backups are deleted"
]
DELETED = next(step for step in APPROVED if step.name == "the backups are deleted")
REPORTED = next(step for step in APPROVED if step.name == "the message is reported")
#: Kill of the agent between two acts.
BETWEEN = Kill(DELETED, "after", ("agent",))
DONE = "This is how it ended: the backups older than 30 days are deleted."
GIVEN_UP = "The run was given up: nothing was done here, the request is failed."
REJECTED = "This is how it ended: nothing was done here, the request is rejected."
#: States of a request that no act follows.
OVER = ["rejected", "expired", "cancelled", "failed", "done"]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"), CONFIG)
    server.start()
    yield server
    server.kill()


@pytest.fixture(scope="class")
def recipe(
    request: pytest.FixtureRequest, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Recipe]:
    recipe = Recipe(request.cls.program, tmp_path_factory.mktemp("recipe"), server, behind=request.cls.behind)
    recipe.start()
    yield recipe
    recipe.end()


class Acts:
    """The same for each recipe. A class of its own gives it a process of its own, and a server in it."""

    program: str
    #: Program that it talks to, if it is not alone.
    behind: str | None = None
    #: Whether it performs what was approved though its own state was changed meanwhile, or gives the run up.
    goes_on_when_changed = True

    @pytest.mark.parametrize(
        ("step", "when", "sides"),
        [pytest.param(*kill, id=f"{kill[0].name}, {kill[1]}, {' and '.join(kill[2])}") for kill in KILLS],
    )
    def test_a_kill_is_made_up_for(
        self, server: Server, recipe: Recipe, step: Step, when: str, sides: tuple[str, ...]
    ) -> None:
        recipe.kill = Kill(step, when, sides)  # type: ignore[arg-type]
        conversation = Conversation(server, recipe)
        approval = conversation.approval()
        asked = {"tool": "delete_backups", "args": {"older_than_days": 30}}
        assert json.loads(approval["payload"]["payload"]) == asked
        assert conversation.deleted() == []
        if step in REFUSED:
            conversation.decide(approval, "reject")
            conversation.told(REJECTED)
            assert conversation.deleted() == conversation.acts() == []
        else:
            conversation.decide(approval, "approve")
            conversation.told(DONE)
            (act,) = conversation.acts()
            assert act["state"] == "done"
            assert act["payload"] == approval["payload"]["payload"]  # type: ignore[typeddict-item]
            assert conversation.deleted() == [f"{act['id']} 30"]
        with pytest.raises(Problem) as told:
            conversation.decide(approval, "approve")
        assert told.value.name == "press.consumed"
        assert len(conversation.acts()) == (step in APPROVED)

    def test_nobody_approves_by_words_or_their_own_request(self, server: Server, recipe: Recipe) -> None:
        conversation = Conversation(server, recipe)
        approval = conversation.approval()
        assert conversation.say("yes, approve it")["decision"] != "done"
        with pytest.raises(Problem) as told:
            conversation.decide(approval, "approve", by="ana")
        assert told.value.name == "press.forbidden"
        assert conversation.deleted() == conversation.acts() == []
        conversation.decide(approval, "reject")
        conversation.told(REJECTED)

    def test_what_is_done_is_what_was_approved(self, server: Server, recipe: Recipe) -> None:
        conversation = Conversation(server, recipe)
        approval = conversation.approval()
        conversation.settled()
        recipe.crash()
        conversation.decide(approval, "approve")
        assert change(recipe.folder) > 0
        recipe.start()
        conversation.told(DONE if self.goes_on_when_changed else GIVEN_UP)
        (act,) = conversation.acts()
        assert act["state"] == ("done" if self.goes_on_when_changed else "failed")
        assert conversation.deleted() == ([f"{act['id']} 30"] if self.goes_on_when_changed else [])

    @pytest.mark.parametrize(("decision", "text"), [("approve", DONE), ("reject", REJECTED)], ids=["approve", "reject"])
    def test_what_was_decided_while_nobody_ran_is_told_once(
        self, server: Server, recipe: Recipe, monkeypatch: pytest.MonkeyPatch, decision: str, text: str
    ) -> None:
        recipe.kill = Kill(REPORTED, "before", ("agent",))
        with monkeypatch.context() as nobody:
            nobody.setattr(recipe, "start", lambda: None)
            conversation = Conversation(server, recipe)
            conversation.killed()
            conversation.decide(conversation.approval(), decision)
        recipe.start()
        conversation.told(text)
        assert len(conversation.deleted()) == len(conversation.acts()) == (decision == "approve")

    @pytest.mark.parametrize("state", OVER)
    def test_every_end_without_an_act_is_told(
        self, server: Server, recipe: Recipe, monkeypatch: pytest.MonkeyPatch, state: str
    ) -> None:
        conversation = Conversation(server, recipe)
        conversation.approval()
        conversation.settled()
        monkeypatch.setattr(recipe, "pretended", state)
        # An end comes with a turn, which is what some wait for.
        conversation.say("is it done?")
        conversation.told(f"nothing was done here, the request is {state}.")
        assert conversation.deleted() == []

    def test_a_request_that_is_refused_is_told(self, server: Server, recipe: Recipe) -> None:
        conversation = Conversation(server, recipe, "please delete the backups older than 1234567890123456 days")
        conversation.told("a number has at most 15 digits; send 1234567890123456 as a string.")
        assert conversation.deleted() == conversation.acts() == []

    @pytest.mark.parametrize(
        ("decisions", "kill"),
        [
            pytest.param(("approve", "approve"), None, id="no kill"),
            pytest.param(("approve", "approve"), BETWEEN, id="a kill in between"),
            pytest.param(("reject", "approve"), None, id="the first is rejected"),
            pytest.param(("approve", "reject"), None, id="the second is rejected"),
        ],
    )
    def test_two_acts_have_two_approvals(
        self, server: Server, recipe: Recipe, decisions: tuple[str, str], kill: Kill | None
    ) -> None:
        recipe.kill = kill and replace(kill)
        conversation = Conversation(server, recipe, "please delete both kinds of old backups")
        approved = []
        for decision in decisions:
            conversation.approval()
            # Where both cards are there at once, the newer one is decided first.
            conversation.settled()
            approval = conversation.approval()
            conversation.decide(approval, decision)
            approved += [approval["payload"]["payload"]] if decision == "approve" else []
        # In the order of the results, which is not everywhere that of the calls.
        conversation.told("days are deleted.", REJECTED)
        acts = conversation.acts()
        assert [act["state"] for act in acts] == ["done"] * len(approved)
        payloads = {act["id"]: act["payload"] for act in acts}  # type: ignore[typeddict-item]
        assert sorted(payloads.values()) == sorted(approved)
        days = {act: json.loads(payload)["args"]["older_than_days"] for act, payload in payloads.items()}
        assert sorted(conversation.deleted()) == sorted(f"{act} {days[act]}" for act in days)

    def test_a_message_while_something_waits_is_answered(self, server: Server, recipe: Recipe) -> None:
        conversation = Conversation(server, recipe)
        approval = conversation.approval()
        conversation.settled()
        conversation.say("what do you do?")
        conversation.told("One thing after the other: please decide on the card first.")
        conversation.decide(approval, "approve")
        conversation.told(DONE)
        conversation.say("what do you do?")
        conversation.told("I look after the backups.")


class TestPlainPython(Acts):
    program = "plain_agent.py"


class TestLangGraph(Acts):
    program = "langgraph_agent.py"


class TestOpenAiAgents(Acts):
    program = "openai_agent.py"
    # The SDK itself compares.
    goes_on_when_changed = False


class TestAiSdk(Acts):
    program = "vercel-agent.mjs"


class TestAgUi(Acts):
    program = "agui-agent.mjs"
    behind = "scripted_agui.py"


@pytest.mark.parametrize(
    ("program", "page"),
    [
        ("first_agent.py", "your-agent.md"),
        ("first_agent.py", "quickstart.md"),
        ("plain_agent.py", "recipes/plain-python.md"),
        ("langgraph_agent.py", "recipes/langgraph.md"),
        ("approvals.py", "recipes/langgraph.md"),
        ("openai_agent.py", "recipes/openai-agents.md"),
        ("vercel-agent.mjs", "recipes/ai-sdk.md"),
    ],
)
def test_a_page_shows_the_program(program: str, page: str) -> None:
    language = "js" if program.endswith(".mjs") else "python"
    assert f"```{language}\n{(HERE / program).read_text()}```" in (PAGES / page).read_text()
