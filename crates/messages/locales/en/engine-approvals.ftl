### Approvals: who may press what, and why a press did not count.

approval-nothing = Nothing here waits for an approval.
approval-nobody-may = Nobody is set up to approve this (TL-4103).
approval-self = You asked for this, so someone else has to approve it.
approval-wrote-part = You wrote part of this, so someone else has to approve it.
approval-tampered = The stored request is not what was shown. Nothing was done (TL-4107).
approval-checks-run = Its checks are running; Approve is offered when they have passed.
approval-checks-failed = Its checks failed, so there is nothing to approve before it is changed.
approval-approver-presses = An approver decides with the buttons of the card.
approval-not-by-text = Text does not approve anything. { $due }
approval-please-press = Please press { $labels } on the card.
approval-forbidden = You may not approve this. Who may: { $who }
approval-who-role = anyone with the role { $role }
approval-who-group = anyone in the group { $group }
approval-urging-left-out = (What asked for an approval is left out.)

press-unknown = I don't know this button any more. { $rest }
press-nothing-open = Nothing is open here.
press-open = Here is what is open: { $open }
press-outdated = This preview is outdated. Version { $version } is the current one.
press-outdated-card = This preview is outdated. A newer card in this thread took its place.
press-stale = This action is no longer available.
press-already = Already processed
press-already-by = Already { $done } by @{ $who } at { $at }
press-expired = This request expired at { $at }; start it again?
press-paused = Sending is paused by @{ $by } since { $since }. Nothing was approved.
press-no-form = { $label } takes no form. Nothing was changed.

# What a card came to, behind an arrow.
came-of-running = in progress
came-of-running-sent = in progress, sent already
came-of-some-running = { $n } in progress
came-of-some-running-sent = { $n } in progress, sent already
came-of-done = done
came-of-posted = posted
came-of-stopped = stopped
came-of-failed = failed: { $why }
came-of-no-answer = no answer yet
came-of-some-no-answer = { $n } with no answer yet
came-of-all = { $key } and the other { $n } with it
came-of-some = { $made } of { $all } created
