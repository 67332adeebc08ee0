### What is under way in a thread: questions that stay open, stops, and lists of what waits.

question-of-part = { $label }?
question-remark = I asked: “{ $question }” Answer it in your own words, or say “cancel” to drop it.
question-later = OK, no hurry. Still open: “{ $question }” Answer it when you can, or say “cancel” to drop it.
question-in-words = I need it in words: “{ $question }”
question-still-open = Still open: “{ $question }”
question-put-aside = Put aside for now: “{ $question }”
question-waits = question: “{ $question }”
question-back-to = Back to: “{ $question }”

## Stops

stop-nothing = Nothing is running and nothing is waiting here.
stop-nothing-to-start-over = Nothing is waiting here. What would you like to do?
stop-stopped = Stopped. Open cards stay where they are.
stop-started-over = Stopped; open cards stay where they are. What would you like to do?
stop-nothing-stopped = Nothing was stopped.
stop-may-still-happen = What is sent already cannot be stopped and may still happen; what comes of it is told here.
stop-what-now = What would you like to do?
stop-called-off = stopped before it was sent
stop-ended = Ended: { $what }.
stop-left-to-others = Left to others: { $what }.
stop-open-cards = Open cards of yours: { $titles }. Say "close the cards" to close them.
stop-still-here = Still here: { $what }.

## Status and pending

state-asking = a model is being asked
state-running = { $n } running
state-sent = { $n } sent already
state-waiting = { $n } waiting
state-uncertain = { $n } without an answer
state-paused = sending is paused
state-remembered = remembered mode: { $intent ->
    [ticket] ticket
    [review] review
    [discussion] discussion
    [meta] meta
    [ambiguous] ambiguous
   *[none] none
}
state-here = In this thread: { $what }
state-nothing-waits = Nothing is waiting here.
state-besides = Besides: { $what }.
state-card = card: { $title }

task-status = { $status ->
    [queued] queued
    [running] running
    [completed] completed
    [blocked] blocked
    [failed] failed
    [cancelled] cancelled
    [waiting] waiting
   *[resting] resting
}
task-status-with = { $status }, with { $name }
task-line = { $status }: “{ $intent }”

pending-whole-number = { $text } is no whole number, and one is needed. { $question }
pending-line = { $kind ->
    [slot_request] slot request
    [clarification_needed] clarification needed
    [tool_retry_offer] tool retry offer
    [delegation_offer] delegation offer
    [waiting_story_edit] waiting story edit
    [waiting_decision_edit] waiting decision edit
    [waiting_approval] waiting approval
    [waiting_scope_choice] waiting scope choice
    [waiting_quantity_confirm] waiting quantity confirm
    [waiting_size_confirm] waiting size confirm
   *[waiting_uncertain_effect] waiting uncertain effect
}
pending-expects = expects { $what }
pending-until = until { $at }
