### The account of a turn, for whoever asks why: `/maro why`. Codes, in brackets, are the same in every language.

why-turn = Turn { $turn } at { $at }: { $event }
why-decided = Decided by rung { $number }, { $rung }: { $says } ({ $code })
why-outcome = Outcome: { $outcome ->
    [ignored] ignored
    [observed] kept, not answered
    [recorded] recorded
    [answered] answered
    [asked] asked a question
    [shown] showed a card
    [done] done
    [refused] refused, and said so
    [handed_over] handed to the host's agent, which answers
   *[deferred] asked a model or a tracker; the turn of the answer decides
}
why-intent = Intent: { $intent ->
    [ticket] ticket
    [review] review
    [discussion] discussion
    [meta] meta
   *[ambiguous] ambiguous
}
why-rule = Recognised by: { $rule }
why-applied = Answer taken for { $pending }
why-also = Also: { $says } ({ $code })
why-focus = Focus: { $anchor } ({ $source })
why-focus-nothing = Focus: nothing ({ $source })
why-reference-bound = Reference: the text refers to nothing outside itself ({ $code }: { $words })
why-reference-needs = Reference: the text needs it ({ $code }: { $words })
why-thread-answers = Thread: it answers { $message }
why-thread-anew = Thread: it starts something new
why-passed = Rungs that did not decide:
why-effect = Effect planned: { $class } { $id }
why-policy = Policy version: { $version }

why-rung = { $rung ->
    [duplicate] Duplicate delivery
    [addressing] Not ours to answer
    [workflow] Workflow event
    [settled] Settled effect, timer or host event
    [focus] Focus
    [interrupt] Hard interrupt
    [pending] Conversational pending
    [selection] Selection
    [review] Active review
    [intent] Intent
    [remembered] Remembered intent
   *[gate] Scope gate
}

## What a rung that did not decide found

passed-not-a-message = not a message
passed-to-us = addressed to us
passed-no-workflow = not a press, form or command
passed-a-message = a message
passed-no-focus = not a message
passed-focus-alone = never decides alone
passed-not-a-stop = the whole message is not a stop
passed-nothing-waits = nothing is waiting for words
passed-no-options = nobody was shown a list the message could be about
passed-selection-off = texts are not read against lists here
passed-not-an-option = the message is none of the options shown
passed-selection-question = the message asks something about the options shown
passed-selection-verify = the message asks what was done with the options shown
passed-option-taken = the message began or ended with an option, which was taken; the rest goes on
passed-selection-command = the message is a command of the host
passed-selection-released = a model took the message to be about something else than the options shown
passed-no-review = no review is active
passed-review-not-focus = the focus is not the active review
passed-review-over = the review was left alone for too long, so it froze
passed-other-intent = the message says explicitly that it wants something else
passed-no-rule = no rule speaks, and no model may be asked
passed-asked-already = no rule speaks, and a model is being asked already
passed-no-answer = the model gave no usable answer
passed-nothing-remembered = the thread remembers nothing
passed-focus-source = never decides alone ({ $source })
