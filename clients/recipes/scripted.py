"""What a model would decide, as a script, so that the recipes need neither a key nor a network."""

from typing import Any


def decide(request: str, results: list[str]) -> dict[str, Any]:
    """Returns the next step on a request, a tool with its arguments or a text, after these results of tools."""
    if "delete" not in request:
        return {"text": "I look after the backups."}
    match results:
        case []:
            return {"tool": "list_backups", "args": {}}
        case [_]:
            return {"tool": "delete_backups", "args": {"older_than_days": 30}}
        case [*_, last]:
            return {"text": f"This is how it ended: {last}."}
    raise AssertionError("a list has an end")
