### Changes of issues that exist.

change-comment-field = Comment
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
