### Unclear messages: the question what to do with one, and the mode that a thread remembers.

gate-question = What should I do with this?
gate-dismissed = OK, leaving it
gate-superseded = A newer question took the place of this one
gate-expired = Nobody chose in time, so I left it
gate-which = What should it be? Say "review", "create a ticket" or "not now".
gate-spared = I am not sure what to do with “{ $said }”. Say "create a ticket for this" or "review this" to make something of it; "help" says more.
gate-chosen = { $label }, chosen by @{ $by }

remembered-forgotten = Forgotten: unclear messages will be asked about again.
remembered-nothing = This thread remembers no mode.
remembered-no-choice = There is no choice to remember here. Choose what to do with a message first.
remembered-used = Remembered for this thread: { $label }
remembered-used-up = Remembered for this thread: { $label }. That is over now, since the review before is: unclear messages will be asked about again.
remembered-open = This thread remembers what to do with unclear messages
remembered-cleared-by = This thread remembers no mode any more, cleared by @{ $by }
remembered-over = This thread remembers no mode any more
