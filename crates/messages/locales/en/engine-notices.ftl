### Notices of the host: what it did not take, what changed around the conversation.

notice-queue-full = I could not take "{ $beginning }", nor what follows it at once: { $most } messages are already waiting here. Please send it again in a minute.
notice-dead = I could not handle what you sent; it was set aside ({ $turn }).
notice-outage = Still waiting for a decision (presses between { $from } and { $to } may be lost)
notice-moved = This chat has moved; what waits for a decision is shown here again
notice-joined = You are { $user } here now: what { $user } may approve, you may approve.
notice-link-over = This link is not good any more. Ask for a new one.
host-silent = I have no answer to that right now. Please send it again.
