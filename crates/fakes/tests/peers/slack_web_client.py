"""The Web client of Slack's SDK for Python, against every method of the fake that an app of ours may call. Run by
tests/peers/slack.rs.
"""

import sys

from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler

API, TOKEN, CHANNEL, USER, THREAD, LATER = sys.argv[1:7]
client = WebClient(token=TOKEN, base_url=API)


def fails(error, call, **arguments):
    try:
        call(**arguments)
    except SlackApiError as found:
        assert found.response["error"] == error, found.response
        return found.response
    raise AssertionError(f"no {error}")


me = client.auth_test()
assert "chat:write" in me.headers["x-oauth-scopes"].split(","), me.headers
assert client.bots_info(bot=me["bot_id"])["bot"]["user_id"] == me["user_id"]
assert client.team_info()["team"]["id"] == me["team_id"]

# ---- messages ----
section = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
posted = client.chat_postMessage(channel=CHANNEL, text="one", blocks=[section], thread_ts=THREAD, reply_broadcast=True)
ts = posted["ts"]
assert posted["message"]["subtype"] == "thread_broadcast"
assert client.chat_update(channel=CHANNEL, ts=ts, text="two", blocks=[section])["text"] == "two"
link = client.chat_getPermalink(channel=CHANNEL, message_ts=ts)["permalink"]
assert f"/archives/{CHANNEL}/p{ts.replace('.', '')}?thread_ts={THREAD}" in link, link
assert client.conversations_replies(channel=CHANNEL, ts=THREAD)["messages"][-1]["text"] == "two"
assert client.conversations_history(channel=CHANNEL, limit=1)["messages"][0]["ts"] == ts
client.reactions_add(channel=CHANNEL, timestamp=ts, name="eyes")
fails("already_reacted", client.reactions_add, channel=CHANNEL, timestamp=ts, name="eyes")
client.reactions_remove(channel=CHANNEL, timestamp=ts, name="eyes")
client.chat_delete(channel=CHANNEL, ts=ts)
fails("message_not_found", client.chat_update, channel=CHANNEL, ts=ts, text="x")
fails("cant_update_message", client.chat_update, channel=CHANNEL, ts=THREAD, text="x")
fails("channel_not_found", client.chat_postMessage, channel="C0NOWHERE", text="x")
fails("thread_not_found", client.conversations_replies, channel=CHANNEL, ts="1.000001")
long = [{"type": "section", "text": {"type": "mrkdwn", "text": "x" * 3001}}]
refused = fails("invalid_blocks", client.chat_postMessage, channel=CHANNEL, text="x", blocks=long)
wrong = "[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text/text]"
assert refused["response_metadata"]["messages"] == [wrong], refused
many = [dict(section, text={"type": "mrkdwn", "text": "x" * 2999})] * 5
fails("msg_blocks_too_long", client.chat_postMessage, channel=CHANNEL, text="x", blocks=many)

# ---- streams ----
stream = client.chat_stream(
    channel=CHANNEL, thread_ts=THREAD, recipient_user_id=USER, recipient_team_id=me["team_id"], buffer_size=1
)
stream.append(markdown_text="a ")
stream.append(markdown_text="b")
stream.stop()
assert client.conversations_replies(channel=CHANNEL, ts=THREAD)["messages"][-1]["text"] == "a b"

# ---- people and conversations ----
assert client.users_info(user=USER, include_locale=True)["user"]["locale"] == "en-US"
people = [person["id"] for page in client.users_list(limit=1) for person in page["members"]]
assert USER in people and len(people) == len(set(people)) > 1, people
assert client.conversations_info(channel=CHANNEL)["channel"]["is_member"]
assert USER in client.conversations_members(channel=CHANNEL)["members"]
assert CHANNEL in [one["id"] for one in client.conversations_list(types="public_channel")["channels"]]
opened = client.conversations_open(users=USER)["channel"]["id"]
assert client.chat_postMessage(channel=USER, text="hi")["channel"] == opened
group = client.usergroups_list(include_users=True)["usergroups"][0]
assert client.usergroups_users_list(usergroup=group["id"])["users"] == group["users"] == [USER]

# ---- files ----
uploaded = client.files_upload_v2(channel=CHANNEL, filename="a.txt", content="every byte", title="A")
assert uploaded["file"]["title"] == "A", uploaded

# ---- views ----
home = {"type": "home", "blocks": [section]}
first = client.views_publish(user_id=USER, view=home)["view"]
client.views_publish(user_id=USER, view=home, hash=first["hash"])
fails("hash_conflict", client.views_publish, user_id=USER, view=home, hash=first["hash"])
title = {"type": "plain_text", "text": "x" * 25}
modal = {"type": "modal", "title": title, "blocks": []}
fails("invalid_arguments", client.views_open, trigger_id="1.2", view=modal)

# ---- tokens, limits ----
fails("invalid_auth", WebClient(token="xoxb-other", base_url=API).auth_test)
fails("not_authed", WebClient(base_url=API).auth_test)
patient = WebClient(token=TOKEN, base_url=API, retry_handlers=[RateLimitErrorRetryHandler(max_retry_count=1)])
assert patient.chat_postMessage(channel=LATER, text="after a wait")["ok"]
print("well")
