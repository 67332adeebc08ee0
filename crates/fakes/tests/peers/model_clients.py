"""The official clients of OpenAI and Anthropic, as their users write them, against whatever is at the given address."""

import json
import sys

import anthropic
import openai

base, key = sys.argv[1], sys.argv[2]
schema = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["ticket", "review"]}, "confidence": {"type": "number"}},
    "required": ["label", "confidence"],
    "additionalProperties": False,
}
talk = [{"role": "user", "content": "Create a ticket"}]

# ---- chat completions ----
chat = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0).chat.completions
format = {"type": "json_schema", "json_schema": {"name": "intent", "strict": True, "schema": schema}}
whole = chat.create(model="m", messages=talk, response_format=format)
assert json.loads(whole.choices[0].message.content)["label"] == "ticket", whole
assert whole.usage.total_tokens == 132

with chat.stream(model="m", messages=talk, stream_options={"include_usage": True}) as stream:
    completion = stream.get_final_completion()
assert completion.choices[0].message.content == "Hello, Grüße", completion
assert completion.usage.completion_tokens == 12

refused = chat.create(model="m", messages=talk)
assert refused.choices[0].message.refusal == "I will not.", refused
for expected in [openai.RateLimitError, openai.InternalServerError, openai.AuthenticationError]:
    try:
        chat.create(model="m", messages=talk)
    except expected as error:
        assert error.code, error
    else:
        raise AssertionError(f"no {expected.__name__}")
try:
    with chat.stream(model="m", messages=talk) as stream:
        stream.get_final_completion()
except openai.LengthFinishReasonError:
    pass
else:
    raise AssertionError("cut at the limit, and nobody noticed")

# ---- responses ----
responses = openai.OpenAI(base_url=f"{base}/v1", api_key=key, max_retries=0).responses
text = {"format": {"type": "json_schema", "name": "intent", "strict": True, "schema": schema}}
whole = responses.create(model="m", input="Create a ticket", store=False, text=text)
assert json.loads(whole.output_text)["label"] == "ticket" and whole.status == "completed", whole
with responses.stream(model="m", input="Create a ticket", store=False) as stream:
    words = [event.delta for event in stream if event.type == "response.output_text.delta"]
    final = stream.get_final_response()
assert "".join(words) == final.output_text == "Hello, Grüße", final
cut = responses.create(model="m", input="Create a ticket", store=False)
assert cut.status == "incomplete" and cut.incomplete_details.reason == "max_output_tokens", cut

# ---- messages ----
messages = anthropic.Anthropic(base_url=base, api_key=key, max_retries=0).messages
tools = [{"name": "answer", "description": "Answer.", "input_schema": schema}]
choice = {"type": "tool", "name": "answer"}
whole = messages.create(model="m", max_tokens=99, messages=talk, tools=tools, tool_choice=choice)
assert whole.content[0].input["label"] == "ticket" and whole.stop_reason == "tool_use", whole
with messages.stream(model="m", max_tokens=99, messages=talk, tools=tools, tool_choice=choice) as stream:
    final = stream.get_final_message()
assert final.content[0].input == {"label": "ticket", "confidence": 0.9}, final
with messages.stream(model="m", max_tokens=99, messages=talk) as stream:
    assert "".join(stream.text_stream) == "Hello, Grüße"
try:
    messages.create(model="m", max_tokens=99, messages=talk)
except anthropic.APIStatusError as error:
    assert error.status_code == 529 and error.body["error"]["type"] == "overloaded_error", error.body
else:
    raise AssertionError("overloaded, and nobody noticed")
print("well")
