### Small talk, the help, and the answers to commands.

help-text =
    I turn messages into tickets, reviews and decisions, and nothing leaves this thread before somebody presses Approve.
    Say "create a ticket for …", "review this" or "record the decision: …", or write anything and choose what I should do with it.
    { $command } help · status · pending · why · forget · stop · ticket TEXT · review TEXT · track KEY · untrack KEY · tracked
help-words = This is what I take here: { $command } { $words }
help-again = As above: "create a ticket for …", "review this" or "record the decision: …"; { $command } status says what is open.
help-greeting = Hello! I make tickets, reviews and decision records of what is said here. What can I do for you?
help-greeting-plain = Hello!
help-greeting-again = Hello again!
help-bot = I am a program: the assistant of this conversation. Say "help" for what I can do.
help-no-discussion = I have no answer to that. I can review it (say "review this") or make a ticket of it (say "create a ticket for this").
help-too-much = That is more than I can read in one message, so I did nothing with it. Please send the part that matters, or send it in several messages.
help-unread-only = I read words only, so I did not look at this: { $files }. Write what it is about.
help-unread-beside = I read the words alone, and did not look at this: { $files }.
help-files-kept = Kept: { $files }. I read words only: write what it is about.
help-files-kept-beside = Kept: { $files }. I read the words alone.
help-files-evidence = Evidence of the ticket: { $files }. I read words only and did not look inside.
help-not-your-message = Only the person who wrote that message can edit or delete it. Nothing was changed.
help-unknown-command = I don't know "{ $command } { $word }". { $command } help lists what there is.
help-nearest-command = I don't know "{ $command } { $word }". Did you mean { $command } { $nearest }?
help-no-turn = There is no earlier turn in this thread to explain.

## Tickets and cards of a thread

tickets-none = There are no tickets in this thread: none is drafted, and none was created or is tracked here.
tickets-here = The tickets of this thread:
help-approvers = “{ $title }” · { $who }
help-approvers-none = Nothing waits for an approval here.
tickets-draft = draft: { $title }
tickets-draft-untitled = draft: without a title
card-not-sent = Not yet. { $who }
card-none = No draft and no review is open here.
card-not-yours = Only who asked for “{ $title }” can take it away like this. Whoever may decide it can press Reject.
card-which = Which one do you mean: { $titles }? Reply to its card, or press Reject on it.
cards-none-closed = No card of yours is open here.
cards-closed = Closed: { $titles }.

## Erasure

forget-me = This erases what I keep of you in every conversation here: your messages, and what was made of them. Open cards of yours are closed. It cannot be undone. To do it, write: { $command } forget { $words }
forget-me-once-more = Nothing is erased yet. Are you sure? If you are, write once more, with the code that counts for you alone: { $command } forget { $words } { $code }
forget-me-begun = I am erasing what I keep of you, in every conversation here. What was created elsewhere with an approval stays there.
forget-me-open = Somebody's data was erased. What was open here and held words of theirs is closed; ask again for what is still wanted.
