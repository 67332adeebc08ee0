### Reviews.

review-no-model = checklist, no model: only what this thread states
review-no-model-full = Checklist, no model: only what this thread states
review-nothing-stated = not stated
review-writing = Writing it down in full…
review-nothing-new = There is nothing in that which the review does not have, so it stays as it is.
review-forgotten = The review is forgotten.
review-nothing-to-forget = There is no review here to forget.
review-over-before = The review was over before I had an answer to that, so it stays as it is.
review-gone = This review was forgotten
review-handed-already = Already processed: tickets are being made of this review. Finish or cancel them first.
review-this-thread = this thread
review-reply-to-use = reply to this to make tickets of it
review-summary = Summary
review-checklist = Checklist
review-earlier = + { $n } earlier under Show full
review-more = + { $n } more under Show full

review-kind = { $kind ->
    [architecture] Architecture review
    [security] Security review
   *[pm] PM review
}
review-section = { $section ->
    [decisions] Decisions
    [risks] Risks
    [questions] Open questions
   *[changes] Changes
}
review-new-section = { $section ->
    [decisions] New decisions
    [risks] New risks
    [questions] New open questions
   *[changes] Changes since v{ $version }
}
review-title = { $kind }: { $topic }
review-title-frozen = { $kind }: { $topic } · frozen at v{ $version }
review-title-superseded = { $kind }: { $topic } · frozen at v{ $version }, a newer review followed
review-ended-by = complete, says @{ $by }
review-ended-idle = nobody answered for { $hours } h, so it froze
review-ended-handed-over = tickets were made of it
review-ended-decided = its decision was taken on
review-in-full = { $kind }: { $topic } · v{ $version }, in full
review-after = v{ $version }, after @{ $by }
review-full-up = This review has { $version } versions, which is as many as one may have. Please start another one about what is left.
review-complete = The review of “{ $topic }” is complete and stays as it is, at v{ $version }. Tickets can be made of it at any time: say "create the epic for that", or press its button.
review-known = { $topic } was reviewed, and the review froze { $at } at v{ $version }. I start no new one unless you ask: say "review this".
