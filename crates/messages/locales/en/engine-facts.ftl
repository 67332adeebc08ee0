### Facts that are remembered, and what is known here.

fact-members-only = Only members can have something remembered beyond this thread. Leave that out, and I note it here.
fact-which-epic = I cannot tell which epic you mean: none is open in this thread, or more than one. Reply to its preview, or track its issue here.
fact-no-such = There is no such fact here.
fact-not-yours = Who said it may take it back, or a member of this place.
fact-forgotten = That is forgotten.
fact-full = I did not note that: there is no room for it, and what is known here is surer.
fact-was-erased = I did not note that: it was erased. Say it again, and I will.
fact-reach = { $scope ->
    [thread] for this thread
    [epic] for this epic
   *[channel] for this channel
}
fact-kind = { $kind ->
    [decision] a decision
    [constraint] a constraint
   *[assumption] an assumption
}
fact-noted = Noted { $reach } as { $kind }: { $text }
fact-takes-the-place = It takes the place of: { $others }
fact-known = That is noted { $reach } already, as { $kind }: { $text }
fact-which = Earlier: { $earlier }, { $day }. Now: { $now }. Which holds?
# Other words for the answers, beside "first", "second" and "both".
fact-choice-first = the first, the first one, the earlier, the earlier one, earlier, the old one
fact-choice-second = the second, the second one, the later, the later one, now, the new one
fact-choice-both = both of them, both hold, they both hold
fact-holds = Noted, this holds { $reach }: { $text }
fact-both-hold = Noted, both hold { $reach }.

known-kind = { $kind ->
    [decision] decision
    [constraint] constraint
   *[assumption] assumption
}
known-nothing = Nothing is noted here yet. Say "remember that …" and I keep it.
known-nothing-about = Nothing is noted here about “{ $about }”.
known-noted = Noted here:
known-noted-about = Noted here about “{ $about }”:
