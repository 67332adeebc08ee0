### Changes of issues that exist.

change-comment-field = Comment
change-issue-field = Issue
change-other-field = Links to
change-state = { $state ->
    [open] open
   *[closed] closed
}
change-given-to = assigned to { $name }
change-already = { $key } “{ $title }” is { $state ->
    [open] open
   *[closed] closed
} already. Nothing was changed.
change-already-given = { $key } “{ $title }” is assigned to { $name } already. Nothing was changed.
change-now = { $key } is { $state ->
    [open] open
    [closed] closed
   *[unknown] in the tracker
} now, and assigned to nobody.
change-now-given = { $key } is { $state ->
    [open] open
    [closed] closed
   *[unknown] in the tracker
} now, and assigned to { $name }.
change-reported = { $key } is now: { $issue }
change-moved = { $key } was moved, and is { $to } now.
change-gone = { $key } was deleted in its tracker.
change-not-read = How { $key } is now could not be read: { $why }
change-no-comment = What should the comment say? Write it behind a colon: "comment on it: …".

change-parent = Put { $key } under { $other }
change-comment = Comment on { $key }
change-reopen = Reopen { $key }
change-close = Close { $key }
change-assign = Assign { $key } to { $name }
change-link = Link { $key } to { $other }

change-parent-made = { $key } is under { $other } now.
change-comment-made = The comment is on { $key }.
change-reopen-made = { $key } is open again.
change-close-made = { $key } is closed.
change-assign-made = { $key } is assigned to { $name }.
change-link-made = { $key } is linked to { $other }.

change-failed = { $key } was not changed: { $why }
change-which = Which one: { $keys }? Name its key.
change-not-here = Nobody here may approve a change of { $key }. Nothing was changed.
