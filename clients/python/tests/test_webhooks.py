"""Webhooks: the published example, and everything that makes a delivery untrustworthy."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json

import pytest

from throughline import webhooks
from throughline.webhooks import WebhookError

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_" + base64.b64encode(b"another secret of 24 byte").decode()
AT = 1614265330
BODY = '{"test": 2432232314}'
# The example that the publishers of the scheme give for this secret, id, time and body.
SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
HEADERS = {
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": str(AT),
    "webhook-signature": SIGNATURE,
}


def signed(secret: str, at: int = AT, body: str = BODY) -> dict[str, str]:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{HEADERS['webhook-id']}.{at}.{body}".encode(), hashlib.sha256).digest()
    signature = "v1," + base64.b64encode(digest).decode()
    return {**HEADERS, "webhook-timestamp": str(at), "webhook-signature": signature}


def test_the_published_example_is_good() -> None:
    assert webhooks.verify(SECRET, HEADERS, BODY, now=AT) == json.loads(BODY)
    assert webhooks.verify(SECRET, HEADERS, BODY.encode(), now=AT) == json.loads(BODY)
    upper = {name.upper(): value for name, value in HEADERS.items()}
    assert webhooks.verify(SECRET.removeprefix("whsec_"), upper, BODY, now=AT) == json.loads(BODY)


@pytest.mark.parametrize("secrets", [[SECRET, OTHER], [OTHER, SECRET]])
def test_while_a_secret_is_changed_both_are_good(secrets: list[str]) -> None:
    for by in (SECRET, OTHER):
        assert webhooks.verify(secrets, signed(by), BODY, now=AT)
    both = f"v1a,AAAA {signed(OTHER)['webhook-signature']} {SIGNATURE}"
    assert webhooks.verify(SECRET, {**HEADERS, "webhook-signature": both}, BODY, now=AT)


@pytest.mark.parametrize("off", [-301, -300, -1, 0, 1, 300, 301])
def test_a_delivery_is_good_for_five_minutes(off: int) -> None:
    headers = signed(SECRET, AT + off)
    if abs(off) <= webhooks.TOLERANCE:
        assert webhooks.verify(SECRET, headers, BODY, now=AT)
    else:
        with pytest.raises(WebhookError, match="5 minutes"):
            webhooks.verify(SECRET, headers, BODY, now=AT)


@pytest.mark.parametrize("at", range(len(BODY)))
def test_no_byte_of_the_body_may_be_another(at: int) -> None:
    changed = BODY[:at] + chr(ord(BODY[at]) ^ 1) + BODY[at + 1 :]
    with pytest.raises(WebhookError):
        webhooks.verify(SECRET, HEADERS, changed, now=AT)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("webhook-id", "msg_other"),
        ("webhook-timestamp", str(AT + 1)),
        ("webhook-timestamp", "soon"),
        ("webhook-timestamp", ""),
        ("webhook-timestamp", "²"),
        ("webhook-signature", ""),
        ("webhook-signature", "v1,"),
        ("webhook-signature", "v1,not base64!"),
        ("webhook-signature", SIGNATURE.removeprefix("v1,")),
        ("webhook-signature", SIGNATURE.replace("v1,", "v2,")),
        ("webhook-signature", signed(OTHER)["webhook-signature"]),
    ],
)
def test_a_header_that_does_not_belong_to_it_is_refused(name: str, value: str) -> None:
    with pytest.raises(WebhookError):
        webhooks.verify(SECRET, {**HEADERS, name: value}, BODY, now=AT)


@pytest.mark.parametrize("name", list(HEADERS))
def test_a_missing_header_is_named(name: str) -> None:
    headers = {each: value for each, value in HEADERS.items() if each != name}
    with pytest.raises(WebhookError, match=name):
        webhooks.verify(SECRET, headers, BODY, now=AT)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_!!", "ßecret"])
def test_a_secret_that_is_none_is_said(secret: str) -> None:
    with pytest.raises(WebhookError, match="whsec_"):
        webhooks.verify(secret, HEADERS, BODY, now=AT)


def test_no_secret_verifies_nothing() -> None:
    with pytest.raises(WebhookError):
        webhooks.verify([], HEADERS, BODY, now=AT)
