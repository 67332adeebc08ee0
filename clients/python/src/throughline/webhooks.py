"""Webhooks, verified as Standard Webhooks says: an HMAC of id, time and body, by any of the current secrets."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Iterable, Mapping
from typing import cast

from ._errors import ThroughlineError
from ._types import Event

#: Seconds by which a delivery's time may differ from ours. An older one may be a recording that is played again.
TOLERANCE = 300


class WebhookError(ThroughlineError):
    """A delivery that is not to be trusted: answer it with 401 and do nothing of what it says."""


def verify(
    secrets: str | Iterable[str], headers: Mapping[str, str], body: bytes | str, *, now: float | None = None
) -> Event:
    """Returns the event of a delivery, or raises `WebhookError`.

    `secrets` is one secret (`whsec_…`), or while it is being changed both. `body` is what arrived, byte for byte.
    `headers` may be written in any case. Deliveries may repeat: their `webhook-id` is the same then.
    """
    given = {name.lower(): value for name, value in headers.items()}
    try:
        delivery, at, signatures = (given[f"webhook-{name}"] for name in ("id", "timestamp", "signature"))
    except KeyError as missing:
        raise WebhookError(f"the delivery has no header {missing}: it is not a webhook of Throughline") from None
    now = time.time() if now is None else now
    if not (at.isascii() and at.isdecimal() and abs(now - int(at)) <= TOLERANCE):
        raise WebhookError(
            f"the delivery's time {at!r} is more than {TOLERANCE // 60} minutes from ours: "
            "it is a repetition by somebody else, or a clock is wrong"
        )
    raw = body.encode() if isinstance(body, str) else body
    signed = b".".join((delivery.encode(), at.encode(), raw))
    names = [secrets] if isinstance(secrets, str) else list(secrets)
    good = [hmac.new(_key(secret), signed, hashlib.sha256).digest() for secret in names]
    for signature in signatures.split():
        version, _, value = signature.partition(",")
        # Every pair is compared: how long it takes says nothing.
        if version == "v1" and any([hmac.compare_digest(each, _decoded(value)) for each in good]):
            return cast(Event, json.loads(raw))
    raise WebhookError("no signature of the delivery is by a secret of ours: compare the secret with the server's")


def _key(secret: str) -> bytes:
    key = _decoded(secret.removeprefix("whsec_"))
    if not key:
        raise WebhookError("the secret is not of the form whsec_…, with base64 behind it: copy it anew from the server")
    return key


def _decoded(value: str) -> bytes:
    try:
        return base64.b64decode(value, validate=True)
    except (binascii.Error, ValueError):
        return b""
