"""What a model would decide, as a script, so that the recipes need neither a key nor a network."""

import re
from typing import Any


def decide(request: str, results: list[str]) -> dict[str, Any]:
    """Returns the next step on a request, calls of tools or a text, after these results of tools."""
    if "delete" not in request:
        return {"text": "I look after the backups."}
    if not results:
        return {"calls": [{"tool": "list_backups", "args": {}}]}
    named = [int(days) for days in re.findall(r"\d+", request)]
    wanted = [30, 90] if "both" in request else named or [30]
    if left := wanted[len(results) - 1 :]:
        return {"calls": [{"tool": "delete_backups", "args": {"older_than_days": days}} for days in left]}
    return {"text": f"This is how it ended: {results[-1]}."}
