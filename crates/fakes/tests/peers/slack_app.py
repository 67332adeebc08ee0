"""An app made with Bolt for Python, which knows nothing of the fake but its address. Run by tests/peers/slack.rs.

It answers a mention with a card, a press with a modal, a form with a message, a command, two shortcuts, an opened Home
tab and an opened thread with the agent.
"""

import os
import sys
import traceback

from slack_bolt import App
from slack_bolt.adapter.socket_mode import SocketModeHandler
from slack_sdk import WebClient

MODE, API, TOKEN, APP_TOKEN, SECRET, PORT = sys.argv[1:7]
app = App(client=WebClient(token=TOKEN, base_url=API), signing_secret=SECRET)


def plain(text):
    return {"type": "plain_text", "text": text}


def card(text):
    button = {"type": "button", "text": plain("Go"), "action_id": "go", "value": "v1"}
    return [
        {"type": "section", "text": {"type": "mrkdwn", "text": text}},
        {"type": "actions", "block_id": "buttons", "elements": [button]},
    ]


FIELD = {"type": "plain_text_input", "action_id": "text"}
MODAL = {
    "type": "modal",
    "callback_id": "edit",
    "title": plain("Edit"),
    "submit": plain("Save"),
    "blocks": [{"type": "input", "block_id": "title", "label": plain("Title"), "element": FIELD}],
}


@app.event("app_mention")
def mentioned(event, client, say):
    client.reactions_add(channel=event["channel"], timestamp=event["ts"], name="eyes")
    metadata = {"event_type": "effect", "event_payload": {"id": "e1"}}
    say(text="card", blocks=card(f"You said {event['text']}"), thread_ts=event["ts"], metadata=metadata)
    read = client.conversations_replies(channel=event["channel"], ts=event["ts"], include_all_metadata=True)
    assert read["messages"][-1]["metadata"] == metadata, read


@app.message("upload")
def upload(message, client):
    client.files_upload_v2(
        channel=message["channel"],
        thread_ts=message["ts"],
        filename="all.txt",
        content="every byte",
        initial_comment="all of it",
    )


@app.event("message")
def heard():
    pass


@app.action("go")
def pressed(ack, body, client, action, respond):
    ack()
    assert action["value"] == "v1", action
    client.views_open(trigger_id=body["trigger_id"], view=MODAL)
    channel, ts = body["channel"]["id"], body["message"]["ts"]
    client.chat_update(channel=channel, ts=ts, text="pressed", blocks=card("pressed"))
    respond(text="only you", replace_original=False)


@app.view("edit")
def submitted(ack, view, body, client):
    title = view["state"]["values"]["title"]["text"]["value"]
    if title == "bad":
        ack(response_action="errors", errors={"title": "too short"})
        return
    ack()
    client.chat_postMessage(channel=body["user"]["id"], text=f"saved {title}")


@app.command("/maro")
def commanded(ack, command, respond):
    ack(f"said {command['text']}")
    respond(text="later", response_type="in_channel")


@app.shortcut({"callback_id": "new_ticket", "type": "shortcut"})
def shortcut(ack, body, client):
    ack()
    client.views_open(trigger_id=body["trigger_id"], view=MODAL)


@app.shortcut({"callback_id": "make_ticket", "type": "message_action"})
def on_message(ack, body, client):
    ack()
    channel, user = body["channel"]["id"], body["user"]["id"]
    client.chat_postEphemeral(channel=channel, user=user, text=f"about {body['message']['text']}")


@app.event("app_home_opened")
def opened(event, client):
    client.views_publish(user_id=event["user"], view={"type": "home", "blocks": card("home")})


@app.event("assistant_thread_started")
def started(event, client):
    thread = event["assistant_thread"]
    place = {"channel_id": thread["channel_id"], "thread_ts": thread["thread_ts"]}
    prompts = [{"title": "Ticket", "message": "Make a ticket"}]
    client.assistant_threads_setSuggestedPrompts(**place, prompts=prompts)
    client.assistant_threads_setStatus(**place, status="is thinking", loading_messages=["one", "two"])
    client.assistant_threads_setTitle(**place, title="A thread")


@app.event("reaction_added")
def reacted():
    pass


@app.error
def failed(error):
    traceback.print_exception(error)
    os._exit(1)


if MODE == "socket":
    SocketModeHandler(app, APP_TOKEN).start()
else:
    app.start(port=int(PORT), http_server_logger_enabled=False)
