### Tickets: previews, questions about gaps, edits, and what became of them.

ticket-create = Create { $what }?
ticket-superseded = A newer preview took the place of this one: { $what }
ticket-created = Created { $key } · asked by @{ $by } · { $decided }
ticket-unknown = No answer yet, so it may or may not exist · { $decided }
ticket-refused = Not created: { $why } · { $decided }
ticket-not-created = Not created · { $decided }
ticket-became = { $key } “{ $title }” was created here: asked by @{ $asked }, approved by @{ $approved } at { $at }.

ticket-ask-title = What should the ticket be about? One line is enough; it becomes the title.
ticket-ask-part = { $part }? Answer here, or "skip" leaves it open.
ticket-ask-parts = { $first }? Also open: { $rest }. Answer here, write lines like "{ $first }: …", or "skip" ("skip the rest") to leave them open.
ticket-parked = The draft “{ $title }” stays open. Its card, or a line like "{ $label }: …", goes on with it.
ticket-parked-untitled = The draft stays open. Its card, or a line like "{ $label }: …", goes on with it.
ticket-corrected = Changed: { $label }.
ticket-no-update = I can close and reopen an issue, comment on it, assign it and link it. Say which, with its key: "close DEMO-1". Nothing was changed.

## Edits

edit-by-model = Proposed by the model, so read it before you approve:
    { $what }

edit-field =
    { $label }: what should it say? Skip leaves it, Cancel ends the edit.
    Now: “{ $now }”
    Lines like "{ $label }: …" change several fields at once. There is: { $labels }.
edit-last-field = That was the last field. The card above is as it stands now.
edit-nothing-changed = Nothing changed: write what should, as lines like "Title: …".
edit-type = Type
# $kind: bug, story, task, epic or item
edit-no-item = There is no { $kind ->
    [bug] bug
    [story] story
    [task] task
    [epic] epic
   *[item] item
} { $n } on this card. Nothing was changed.
edit-undone = Taken back:
edit-nothing-to-undo = There is no change of it to take back.
edit-order-undone = The order is as it was.
edit-left-open-undone = What is left open is as it was before.
edit-as-it-was = It says so already. Nothing was changed.
edit-set = { $label }: “{ $now }”
edit-taken-out = { $label }: “{ $before }” was taken out
edit-added = { $label }: added “{ $more }”
edit-changed = { $label }: “{ $before }” → “{ $now }”
edit-needs = { $label } must not be empty. Nothing was changed.
edit-stays = { $label } must not be empty, so it stays as it is.
edit-unknown-field = There is no field "{ $name }" on this form. Nothing was changed.

## Issues that may or may not exist

uncertain-open = The tracker did not answer, so "{ $title }" may or may not have been created. It is not sent again by itself.
uncertain-created-after-all = "{ $title }": it was created after all
uncertain-decided = "{ $title }": { $done } by @{ $who }
uncertain-refused = not created: { $why }
uncertain-no-answer = no answer again
uncertain-running = in progress
uncertain-looking = I am looking for it right now
uncertain-next-look = I am still looking for it (next look { $at })
uncertain-check-lost = the tracker did not answer
adopt-which = Which issue is it? Send its key with this button's form, field "key".
adopt-needs-key = The form needs the issue's key. Nothing was changed.
adopt-not-found = Nothing was adopted: { $why }. The question is still open.
adopt-other-title = { $key } was not adopted: its title is "{ $title }". The question is still open.
adopt-duplicate = There are two issues for the same item: { $older }, which nobody had an answer about, and { $other }. Please close one of them.
adopt-looking = Looking for { $key }…
link-missing = the tracker did not put it under { $epic }
link-no-epic = its epic was not created
