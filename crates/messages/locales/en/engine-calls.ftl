### Calls of tools and sub-agents, and what they say.

call-which-agent = Which sub-agent should do it: { $agents }?
call-no-agents = I cannot hand that to “{ $name }”: no sub-agents are set up here.
call-no-such-agent = I cannot hand that to “{ $name }”: the sub-agents here are { $known }.
call-nothing-to-hand-over = There is nothing here to hand over. Reply to what you mean, or say what it is.
call-ask-argument = What is the { $name } for { $tool }?
call-handing = Handing “{ $intent }” to { $name }.
call-calling = Calling { $name }.
call-is-done = { $name } is done.
call-goes-on = { $name } goes on:
call-asks = { $name } asks:
call-asks-back = { $name } asks back.
call-passing-on = Passing that on to { $name }.
call-stopped = { $name } stopped.
call-stopped-why = { $name } stopped:
call-could-not = { $name } did not do it: { $why }
call-no-answer = { $name } did not answer. Nothing was changed.
call-again = { $name } did not answer. Shall I try it again?
call-hand-over-again = { $name } did not answer. Shall I hand it over again?
call-maybe-done = { $name } did not answer, so it may or may not be done. It is not sent again by itself.
call-not-set-up = { $name } is not set up here. Nothing was sent.
call-too-long = That is too long to be handed to { $name } with what it has to know. Nothing was sent; say it in fewer words.
call-left = OK, leaving it.

call-hand-to = Hand this to { $name }
call-call = Call { $name }
call-title = { $what }?
call-decided = { $what } · { $decided }
call-came-of-done = done
call-came-of-refused = not done: { $why }
call-came-of-unknown = no answer, so it may or may not be done
call-came-of-dropped = dropped
call-came-of-stopped = stopped
call-unanswered-decided = No answer from { $name }: { $done } by @{ $who }
call-answered-after-all = { $name } did answer after all
call-task = task

# Acts of the host itself.
act-done = “{ $title }” is done.
act-failed = “{ $title }” was not done: { $why }
act-target-field = acts on
act-details-field = details
act-payload-field = content
act-maybe-done = Nobody reported what came of “{ $title }”, so it may or may not be done. It is not done again by itself.
act-unreported-decided = No report on “{ $title }”: { $done } by @{ $who }
act-reported-after-all = “{ $title }” was reported after all
