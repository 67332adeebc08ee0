### The conversation of the web chat: copying, times, the composer, and what goes on.

script-copy = Copy
script-copied = Copied
script-not-copied = It could not be copied.
script-copy-text = Copy text
script-copy-link = Copy link
script-table = Table
script-utc = { $clock } UTC

## The composer

script-commands = Commands
script-command-help = what you can say here
script-command-status = what goes on here
script-command-pending = what waits for an answer or a decision
script-command-why = why the last turn was decided so
script-command-forget = forget the remembered mode
script-command-stop = stop what is under way
script-command-ticket = make a ticket of a text
script-command-review = review a text
script-command-track = follow an issue here
script-command-untrack = follow an issue no more
script-command-tracked = the issues that are followed here
script-edit = Edit
script-editing = You are editing
script-edited = edited
script-no-edit = Leave it as it was

## What goes on

script-at-work = { $name } is at work…
script-at-tracker = Asking the tracker…
script-at-host = The assistant is at work…
script-stop = Stop
