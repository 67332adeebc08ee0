"""The script as a model of the OpenAI Agents SDK."""

import json
from collections.abc import AsyncIterator
from typing import Any

from agents import Model, ModelResponse, Usage
from agents.testing import assistant_message, function_call

from scripted import decide


class ScriptedModel(Model):
    """Model that follows the script."""

    async def get_response(self, system_instructions: str | None, input: Any, *_: Any, **__: Any) -> ModelResponse:
        begin = max(n for n, item in enumerate(input) if item.get("role") == "user")
        results = [item["output"] for item in input[begin:] if item.get("type") == "function_call_output"]
        step = decide(input[begin]["content"], results)
        if "text" in step:
            return ModelResponse(output=[assistant_message(step["text"])], usage=Usage(), response_id=None)
        calls = [
            function_call(call["tool"], json.dumps(call["args"]), call_id=f"{input[begin]['id']}.{len(input)}.{n}")
            for n, call in enumerate(step["calls"])
        ]
        return ModelResponse(output=calls, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> AsyncIterator[Any]:
        raise NotImplementedError("the recipe does not stream")
