# agent.py
import json, pathlib, sys, urllib.request

def call(path, body=None, key="-"):
    headers = {"Content-Type": "application/json", "Idempotency-Key": key, "Prefer": "wait=10"}
    data = body and json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(sys.argv[1] + path, data, headers)) as answer:
        return json.load(answer)

def answer(message):  # your model goes here
    if "delete" not in message["text"]:
        return {"assistant": {"kind": "answer", "text": "I look after the backups."}}
    act = {"id": "30", "label": "Delete backups older than 30 days", "exec_ref": "backups.delete:30", "risk": "write"}
    shown = {"scope": "chat", "scope_instance": "acts", "options": [act]}
    return {"assistant": {"kind": "answer", "text": f"1. {act['label']}"}, "shown": shown}

def act(option):  # and your tools here
    done = pathlib.Path("deleted.txt")
    if not (done.exists() and option["id"] in done.read_text()):
        print(option["id"], option["exec_ref"], file=done.open("a"), flush=True)

while effects := call("/v1/effects?state=attempted")["items"]:
    for effect in reversed(effects):
        done = {"answer": answer(effect)} if effect["class"] == "turn.handover" else {"remote": act(effect)}
        call(f"/v1/effects/{effect['id']}/result", {"outcome": "applied", **done}, effect["id"])
        print(effect["class"], "reported")
