"""Follows all conversations with two clients: the first half with httpx-sse, the rest with sseclient from the last id on."""

import json
import sys

import httpx
import sseclient
from httpx_sse import connect_sse

address, count = sys.argv[1], int(sys.argv[2])


def told(event):
    envelope = json.loads(event.data)
    assert (event.event, event.id) == (envelope["type"], envelope["id"]), event
    print(event.id, flush=True)
    return event.id


timeout = httpx.Timeout(20)
left = count
with httpx.Client(timeout=timeout) as client:
    with connect_sse(client, "GET", f"{address}/v1/stream?after=0") as source:
        for event in source.iter_sse():
            if not event.data:  # this client also tells of the time after which to reconnect
                continue
            last, left = told(event), left - 1
            if left <= count // 2:
                break
    with client.stream("GET", f"{address}/v1/stream", headers={"Last-Event-ID": last}) as answer:
        for event in sseclient.SSEClient(answer.iter_bytes()).events():
            told(event)
            left -= 1
            if left == 0:
                break
