"""The script as a chat model of LangChain."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult

from scripted import decide


class ScriptedChatModel(BaseChatModel):
    """Model that follows the script; it takes no tools, because the script knows them."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        begin = max(n for n, message in enumerate(messages) if isinstance(message, HumanMessage))
        results = [message.text for message in messages[begin:] if isinstance(message, ToolMessage)]
        step = decide(messages[begin].text, results)
        calls = [
            {"name": call["tool"], "args": call["args"], "id": f"{messages[begin].id}.{len(messages)}.{n}"}
            for n, call in enumerate(step.get("calls", []))
        ]
        said = AIMessage(step.get("text", ""), tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])
