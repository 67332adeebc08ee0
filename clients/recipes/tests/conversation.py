"""A conversation with a recipe's agent."""

from __future__ import annotations

import uuid

from conftest import Server
from harness import Recipe, wait_for
from throughline import Throughline, models


class Conversation:
    """Ana's conversation with the agent, in which Bob approves."""

    def __init__(self, server: Server, recipe: Recipe, text: str = "please delete the old backups") -> None:
        self.client = Throughline(server.url)
        self._recipe = recipe
        self._name = f"c-{uuid.uuid4()}"
        self._before = recipe.deleted()
        self._after = "0"
        self.lane = self.say(text)["lane"]

    def say(self, text: str) -> models.TurnAnswer:
        lane: models.EventLane = {"conversation": self._name}
        return self.client.deliver({"lane": lane, "actor": {"id": "ana"}, "kind": "message.posted", "text": text})

    def approval(self) -> models.Approval:
        """Waits for what asks to be approved."""
        return self.wait(lambda: next((each for each in self.client.approvals() if each["lane"] == self.lane), None))

    def decide(self, approval: models.Approval, decision: str, by: str = "bob") -> models.TurnAnswer:
        decided: models.Decide = {"version": approval["version"], "decision": decision, "actor": {"id": by}}  # type: ignore[typeddict-item]
        return self.client.decide(approval["id"], decided)

    def told(self, *texts: str) -> None:
        """Waits until one of these was told, nothing of it is left to do, and whoever is to be killed was."""
        told = lambda: [each for each in self.texts() if each.endswith(texts)]  # noqa: E731
        self.wait(lambda: told() and not self._offered() and self._recipe.kill_is_over())
        assert len(told()) == 1

    def killed(self) -> None:
        """Waits until whoever is to be killed was."""
        self.wait(self._recipe.kill_is_over)

    def settled(self) -> None:
        """Waits until nothing is left for the agent to do."""
        self.wait(lambda: not self._offered())

    def texts(self) -> list[str]:
        return [each["text"] for each in self.client.messages(self.lane) if each["role"] == "assistant"]

    def acts(self) -> list[models.Effect]:
        return [each for each in self.client.effects(lane=self.lane) if each["class"] == "host.act"]

    def deleted(self) -> list[str]:
        """What was deleted since the conversation began."""
        deleted = self._recipe.deleted()
        assert deleted[: len(self._before)] == self._before
        return deleted[len(self._before) :]

    def _offered(self) -> bool:
        return any(each["state"] == "attempted" for each in self.client.effects(lane=self.lane))

    def wait(self, look):  # type: ignore[no-untyped-def]
        """Waits until it finds something, which it returns."""
        return wait_for(look, self._news, self._recipe)

    def _news(self) -> None:
        for event in self.client.poll(self.lane, after=self._after, wait=1):
            self._after = event.get("id", self._after)
