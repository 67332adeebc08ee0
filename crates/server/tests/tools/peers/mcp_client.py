"""Client of the protocol's official kit for Python: `mcp_client.py ADDRESS`. It speaks the newest revision, and the one before it."""

import asyncio
import json
import sys

from mcp import Client

TEXT = "Create a task for the manual\nTitle: Write the manual\nProblem: Nobody knows how it works\nAcceptance criteria: There is a manual"


async def tell(address: str, mode: str) -> str:
    async with Client(address, mode=mode) as client:
        tools = (await client.list_tools()).tools
        names = {tool.name for tool in tools}
        assert {"deliver_message", "get_approval", "report_effect"} <= names, names
        lane = {"conversation": f"python-{mode}"}
        given = {"lane": lane, "actor": {"id": "ana"}, "text": TEXT, "idempotency_key": f"py-{mode}"}
        shown = (await client.call_tool("deliver_message", given)).structured_content
        again = (await client.call_tool("deliver_message", given)).structured_content
        assert again["turn"] == shown["turn"]
        card = next(message["card"] for message in shown["messages"] if message.get("card"))
        approval = {"approval": card["id"]}
        before = (await client.call_tool("get_approval", approval)).structured_content
        assert before["state"] == "pending", before
        refused = await client.call_tool("get_approval", {"approval": card["id"], "wait": "long"})
        assert refused.is_error and "/wait" in refused.content[0].text, refused
        rejects = {**approval, "version": 1, "decision": "reject", "actor": {"id": "ana"}}
        decided = await client.call_tool("decide_approval", rejects)
        assert not decided.is_error, decided
        after = (await client.call_tool("get_approval", {**approval, "wait": 10})).structured_content
        assert after["state"] == "rejected" and after["payload_sha256"] == before["payload_sha256"], after
        resource = await client.read_resource(f"throughline://approvals/{card['id']}")
        assert json.loads(resource.contents[0].text)["state"] == "rejected"
        assert len((await client.list_resource_templates()).resource_templates) == 6
        return str(client.protocol_version)


async def main() -> None:
    modes = sys.argv[2:] or ["auto", "legacy"]
    print(*[await tell(sys.argv[1], mode) for mode in modes])


asyncio.run(main())
