### Cards: what those of several kinds share.

card-gone = This is no longer available
card-superseded = A newer card took the place of this one: { $what }
card-expired = Expired without a decision: { $what }
card-cancelled = Cancelled: { $what }
card-working = Working… (pressed by @{ $who })
card-dropped = Cancelled · { $decided }

card-asked-by = asked by @{ $by }
card-written-by = written by { $names }
card-checks-running = checks running
card-checks-passed = checks passed { $at }
card-checks-failed = checks failed: nothing has been created
card-until = until { $at }
card-may-approve = may approve: { $who }
card-nobody-may = Nobody is set up to approve this (TL-4103)
card-size = { $n ->
    [one] { $n } item
   *[other] { $n } items
}, { $chars } characters

card-gap = open
card-gap-needed = needed before Approve
card-left-open = left open by @{ $by }
card-left-open-needed = left open by @{ $by }, but needed before Approve
card-part-by = by { $names }
card-proposed = proposed
card-needs = before Approve: { $labels }
card-not-yet-running = its checks are running
card-not-yet-failed = its checks failed
card-not-yet-number = confirm the number of items first
card-not-yet-size = confirm its length or split it first

card-unshown = I cannot show the card here: { $title }
card-unshown-waits =
    I cannot show the card here: { $title }
    It still waits: it can be decided in the console, and "{ $command } pending" lists all that waits.
card-reminder = Still waiting for a decision: { $title }

# What a button does, for a screen reader.
card-button-creates = { $verb }: create { $what }, version { $version }
