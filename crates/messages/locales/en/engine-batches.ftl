### Batches of tickets.

batch-several = several tickets
batch-no-title = (no title yet)
batch-one-item = This is one item, so there is nothing to split. Confirm its length instead.
batch-has-stories = This epic has stories. Remove those first, or press Cancel for all of it. Nothing was changed.
batch-last-item = This is the last item. Press Cancel instead. Nothing was changed.
batch-which-story = What is the story? Its title on the first line, then lines like "Problem: …" and "Acceptance criteria: …".
batch-confirm-label = Confirm create { $n ->
    [one] { $n } item
   *[other] { $n } items
}
batch-too-many = { $n } items are more than one card holds ({ $most }). Nothing was started; ask for fewer at a time.
batch-what = { $listed } in { $project }
batch-part = { $what }, part { $n } of { $of }
batch-receipt = { $came-of } · asked by @{ $by } · { $decided }
batch-working = Working…
batch-created = Created { $made } of { $all }
batch-some-on-the-way = { $n } on the way
batch-some-uncertain = { $n } uncertain
batch-some-failed = { $n } failed
batch-some-not-tried = { $n } not tried
batch-some-cancelled = { $n } cancelled

batch-needs-detail = needs detail: { $labels }
batch-left-open = left open: { $labels }
batch-goes-under = goes under { $epic }
batch-on-the-way = on the way
batch-done = done
batch-item-created = created { $what }
batch-item-failed = failed
batch-item-failed-why = failed: { $why }
batch-item-not-tried = not tried: { $why }
batch-item-uncertain = uncertain: the tracker did not answer
batch-item-cancelled = cancelled
batch-item-stopped = stopped
batch-tried-again = tried again on a newer card
batch-under = under { $epic }
batch-link-failed = link failed: { $why }
batch-link-checked = checking its link to { $epic }
batch-the-epic = the epic

batch-dropped = Struck out: { $label } (“{ $title }”)
batch-moved = “{ $title }” is { $label } now
batch-added = Added: { $label } (“{ $title }”)
batch-title-missing = It has no title yet
batch-part-missing = { $label } is missing
batch-confirm-number = before Approve: confirm creating { $n ->
    [one] { $n } item
   *[other] { $n } items
}
batch-confirm-size = before Approve: { $chars } characters are a lot; split it into batches, or confirm to create all
batch-number-not-confirmed = Nothing was approved: first the number of items has to be confirmed, on the card.
batch-size-not-confirmed = Nothing was approved: first its length has to be confirmed, or it has to be split into batches, on the card.
batch-item-called = { $item } ("{ $title }")
batch-ask-one = { $item } is open on one point: { $first }? "Skip" leaves it open.
batch-ask-more = { $item } is still open on: { $labels }. Write lines like "{ $first }: …", or "skip" ("skip the rest") to leave them open. First: { $first }?
# What a button of one item does, for a screen reader.
batch-button-item = { $verb } { $item }: { $title }, version { $version }
