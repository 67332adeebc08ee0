"""The limits of Block Kit as the package blockkit knows them: reads messages and views, one a line, and prints what is wrong
with each. Run by tests/peers/slack_blocks.rs.
"""

import json
import sys

import blockkit as kit

BY_TYPE = {
    "email_text_input": kit.EmailInput,
    "number_input": kit.NumberInput,
    "url_text_input": kit.UrlInput,
    "datepicker": kit.DatePicker,
    "timepicker": kit.TimePicker,
}
BY_FIELD = {
    "confirm": kit.Confirm,
    "dispatch_action_config": kit.DispatchActionConfig,
    "initial_option": kit.Option,
    "initial_options": kit.Option,
    "option_groups": kit.OptionGroup,
    "options": kit.Option,
    "slack_file": kit.SlackFile,
}


def component(value, field, block):
    """Returns the class for an object: by its type, else by the field that holds it."""
    kind = value.get("type")
    if kind in ("plain_text", "mrkdwn"):
        return kit.Text
    if kind == "image" and (block == "context" or field == "accessory"):
        return kit.ImageEl
    if kind is None:
        return BY_FIELD[field]
    return BY_TYPE.get(kind) or getattr(kit, kind.title().replace("_", ""))


def build(value, field=None, block=None):
    if isinstance(value, list):
        return [build(one, field, block) for one in value]
    if not isinstance(value, dict):
        return value
    made = component(value, field, block)
    kind = value.get("type")
    fields = {name: build(one, name, kind) for name, one in value.items() if name != "type" or made is kit.Text}
    return made(**fields)


def check(given):
    surface = given.pop("type", "message")
    whole = {"message": kit.Message, "modal": kit.Modal, "home": kit.Home}[surface]
    try:
        whole(**{name: build(value, name) for name, value in given.items()}).build()
    except Exception as wrong:
        return f"{type(wrong).__name__}: {wrong}"
    return ""


for line in sys.stdin:
    print(json.dumps(check(json.loads(line))), flush=True)
