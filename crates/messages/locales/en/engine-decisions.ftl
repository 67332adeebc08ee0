### Decision records, and the issues that a thread tracks.

decision-a-decision = record a decision
decision-what = What was decided? One or two sentences; say why with "because", if there is a reason.
decision-edit-how = What should change? Write the decision anew, or lines like "Topic: …", "Decision: …", "Why: …", "Issues: …".
decision-field = { $field ->
    [topic] Topic
    [decision] Decision
    [why] Why
   *[issues] Issues
}
decision-thread = thread { $lane }
decision-on = Decision on { $topic }
decision-discussed-in = Discussed in { $thread }
decision-decided-by = Decided by @{ $who } on { $year }-{ $month }-{ $day } at { $clock } UTC
decision-posted-at = Posted at { $url }
decision-posts-at = posts at the root of this channel
decision-discussed = discussed in { $thread }

decision-post = Post this decision on { $topic }?
decision-expired = Expired without an approval: the decision on { $topic }
decision-cancelled = Cancelled: the decision on { $topic }
decision-posted = Posted: the decision on { $topic } · { $decided }
decision-refused = Not posted: { $why } · { $decided }
decision-unknown = No answer yet, so it may or may not be posted · { $decided }
decision-not-posted = Not posted: the decision on { $topic } · { $decided }

decision-comment-failed = not commented on { $issues }: { $why }
decision-comment-offered = may be commented on { $issues }
decision-hash = hash { $hash }
decision-commented = commented on { $issue } by @{ $who } { $at }
decision-comment-unknown = no answer yet, so { $issue } may or may not have the comment
decision-commenting = commenting on { $issue }… (pressed by @{ $who })
decision-the-decision = the decision on { $topic }
decision-the-comment = the comment on { $issue }
decision-uncertain-decided = { $what }: { $done } by @{ $who }
decision-uncertain-there = it is there
decision-uncertain-refused = refused
decision-uncertain-no-answer = no answer again
decision-uncertain-running = in progress
decision-sent-after-all = { $what }: it was sent after all
decision-uncertain-open = There was no answer, so { $what } may or may not be there. Look, then say. It is not sent again by itself.
decision-which-issue = Which issue should have the comment: { $keys }?
decision-press-comment = { $key } it is. Please press "{ $label }" on the card.
decision-field-needs = { $label } needs 1 to { $most } characters. Nothing was changed.
decision-field-takes = { $label } takes at most { $most } characters. Nothing was changed.
# What a button does, for a screen reader.
decision-button-posts = { $verb }: post the decision on { $topic } to { $target }, version { $version }

## Tracked issues

tracked-which-key = Which issue? Write its key: { $command } { $word } AUTH-1.
tracked-now = This thread tracks { $key } now: { $title }
tracked-already = This thread tracks { $key } already.
tracked-not = { $key } is not tracked: { $why }
tracked-no-such = the tracker does not know it
tracked-no-longer = { $key } is no longer tracked.
tracked-was-not = { $key } was not tracked here.
tracked-none = This thread tracks no issue. { $command } track KEY adds one.
tracked-list = This thread tracks:
