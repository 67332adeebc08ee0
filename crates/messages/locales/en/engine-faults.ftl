### Faults: why a tracker did not take something, or why it was not sent.

fault-no-project = There is no project { $project }; known are: { $known }
fault-archived = { $project } is archived and takes no new issues
fault-not-permitted = { $by } may not { $act ->
    [see] see
    [create] create issues in
    [edit] change issues in
   *[link] link issues in
} { $project }; who may: { $allowed }
fault-nobody-named = Nobody is named, and only some may { $act ->
    [see] see
    [create] create issues in
    [edit] change issues in
   *[link] link issues in
} { $project }: { $allowed }
fault-epic-under = An epic is under no other issue
fault-wrong-level = A { $kind ->
    [bug] bug
    [story] story
    [task] task
   *[epic] epic
} is under an epic, not under a { $above ->
    [bug] bug
    [story] story
    [task] task
   *[epic] epic
}
fault-no-hierarchy = { $project } has { $gap ->
    [no_parent] no parent field
    [no_epic_link] no field for an epic link
   *[no_subtasks] sub-tasks switched off
}; it puts no issue under another
fault-other-hierarchy = { $project } has { $gap ->
    [no_parent] no parent field
    [no_epic_link] no field for an epic link
   *[no_subtasks] sub-tasks switched off
}; set projects.{ $project }.child_link = "{ $setting }"
fault-type-off = The type { $kind ->
    [bug] bug
    [story] story
    [task] task
   *[epic] epic
} is switched off in { $project }; it offers: { $offered }
fault-no-type = { $project } has no type { $kind ->
    [bug] bug
    [story] story
    [task] task
   *[epic] epic
}; it offers: { $offered }
fault-required = { $part } is required
fault-no-field = { $project } has no field for { $part }
fault-not-number = { $part } is a number, not “{ $text }”
fault-not-day = { $part } is a day like 2026-01-15, not “{ $text }”
fault-not-one = { $part } takes one value, not { $count }
fault-not-assignable = { $part }: “{ $value }” cannot be assigned
fault-not-offered = { $part }: “{ $value }” is not offered any more
fault-nobody = { $part }: nobody is called “{ $value }”; there is: { $known }
fault-no-value = { $part }: there is no “{ $value }”; there is: { $known }
fault-no-link-kind = { $project } has no link “{ $kind }”; it knows: { $known }
fault-nothing-to-create = There is nothing to create
fault-too-many-items = { $count } items are too many at once; at most { $most } are created
fault-same-id = Two items share the id “{ $id }”
fault-under-itself = “{ $title }” would be under itself
fault-before-epic = “{ $title }” comes before its epic “{ $epic }”
fault-blank-title = The title has nothing in it
fault-title-lines = The title must be one line
fault-title-long = The title has { $length } characters; at most { $most } fit
fault-label-blank = The label “{ $label }” has a blank in it; write { $joined }
fault-label-long = A label has { $length } characters; at most { $most } fit
fault-text-long = The text has { $length } characters in all; at most { $most } fit
fault-control-character = { $part } holds a control character, which no tracker can show
fault-no-title = The item has no title
fault-no-issue = There is no issue { $key }
fault-no-issue-in = There is no issue { $key } in { $project }
fault-no-other-issue = There is no other issue { $key }
fault-no-epic = There is no epic { $key }
fault-parent-elsewhere = { $parent } is in another project; a parent is in { $project }
fault-no-parent = “{ $parent }” is no item of the batch and no issue of { $project }
fault-no-key = “{ $named }” is no key of { $project }; give one like { $project }-1
fault-comment-long = A comment has at most { $most } characters
fault-other-text = { $effect } made { $key } from another text; nothing was created
fault-create-crowded = too many issues are being created in { $project } at once
fault-change-crowded = { $key } is being changed by too many at once
fault-storage = the tracker cannot use its storage; whoever runs this finds the reason in the log
fault-storage-unknown = cannot tell whether the tracker wrote it down; whoever runs this finds the reason in the log
fault-unreachable = the tracker refused the connection
fault-slow-down = the tracker asks us to slow down (429)
fault-failed = the tracker answered { $status }
fault-silent = the tracker did not answer in time
fault-credentials = the tracker refuses our credentials (401)
fault-field-missing = { $field } is required in { $project }, and no part of a ticket fills it; whoever runs this can set it for the project
fault-set-value = { $field } in { $project } does not take “{ $value }”, which is set for the project
fault-field-refused = { $why ->
    [absent] the tracker has nothing that { $field } names
    [required] the tracker requires { $field }
    [taken] the tracker has something with this value of { $field } already
   *[invalid] the tracker does not take this value of { $field }
}
fault-issues-off = Issues are switched off in { $project }; whoever runs it can switch them on
fault-elsewhere = It has moved to { $address }; whoever runs this can name the new place for the project
fault-no-step = { $key } cannot be { $state ->
    [open] opened again
   *[closed] closed
} from where it is in its workflow
fault-not-configured = no tracker named { $tracker } is configured
fault-not-of-tracker = not an effect of a tracker
# An item type in a list.
fault-type = { $kind ->
    [bug] bug
    [story] story
    [task] task
   *[epic] epic
}

## On the way to the far side

sending-unreadable = the stored request cannot be read
sending-dependency = what it depends on was not done
sending-worker-gone = the worker that tried it is gone
sending-altered = the stored request is not what was shown (TL-4107)
sending-no-approval = no approval was consumed for it
sending-no-decision = the decision that releases it is not stored any more
sending-no-epic-key = the epic it belongs to has no key
sending-no-linked-keys = the issues to link have no key
sending-host-only = only a host can do this
sending-host-silent = the host did not report in time
sending-host-silent-why = the host gave no reason
sending-no-client = no client for { $target } is part of this installation
sending-being-sent = what is to be stopped is just being sent
sending-no-end = it did not end within a day
sending-no-channel = there is no channel { $channel } here
sending-no-place = { $channel } has no place for posts at { $to }
sending-channel-busy = its channel took nothing in time
sending-slower = { $channel } asks us to slow down
sending-rationed = { $channel } takes only so many messages in this conversation
sending-not-let = { $channel } does not let us write there: { $why }
sending-not-installed = the app is not installed in this workspace any more
sending-gone = the message is gone
sending-too-long = the text is too long for one message of { $channel }
sending-unnamed = { $channel } named no message
sending-unfindable = what one person is shown cannot be looked for
sending-not-there = { $channel } has no message of it
sending-not-readable = { $channel } cannot be asked for it: { $why }
sending-place-unknown = { $channel } has not said yet where the app is installed
sending-right-missing = the app lacks the right { $right } at { $channel }; add it and install the app again
sending-complete = the message is complete
sending-too-late = the time to open a window is over
sending-marks-unread = { $channel } cannot read the marks of the text
sending-moved = the conversation has another name now
sending-not-delivered = this is nothing a channel delivers

## Of tools and sub-agents

tool-no-tool = there is no tool { $name }
tool-no-agent = there is no sub-agent { $name }
tool-not-agent = it is no sub-agent
tool-host-runs = only its host runs an option
tool-tracker-changes = only its tracker changes an issue
tool-withdrawn = the server has no tool { $name } any more (TL-5301)
tool-unpinned = it is not pinned any more (TL-5301)
tool-changed = what it says of itself has changed, so it is off until somebody looks at it and runs `throughline tools pin` (TL-5301)
tool-unseen = nobody has looked at it yet, so it is off until somebody runs `throughline tools pin` (TL-5301)
tool-server-lacks = the server has no tool { $name }
tool-busy = the server is busy with other calls
tool-unreachable = it cannot be reached
tool-resting = it failed just now and is given a moment
tool-broken-off = the connection broke off before it answered
tool-failing = it answered with an error of its own (status { $status })
tool-unlisted = its list of tools cannot be read
tool-card-unusable = its card names no address that may be used
tool-pins-unread = whether it is allowed cannot be looked up now
tool-asked-together = it asked for several calls at once
tool-answer-long = its answer is longer than 256 KiB
tool-wants-model = it asks for a model's answer, which it is not given
tool-wants-folders = it asks for folders, which it is not given
tool-wants-several = it asks for several things at once
tool-asks-again = it asks to be asked again, over and over
tool-refuses-token = the server refuses the token
tool-unconnected = nobody has connected it, or the connection has ended; an operator connects it
tool-lacks-rights = its server wants more rights than were granted; an operator connects it again
tool-no-token = no token for it could be got now
tool-not-in-time = it did not answer in time
tool-closed = the connection is closed
tool-too-often = it is asked too often
tool-forgot = the server forgot us
tool-no-result = it answered with something else than a result
tool-no-task-or-message = it answered with neither a task nor a message
tool-task-unnamed = it answered with a task that has no id
tool-task-unclear = it answered with a task in no known state
tool-not-of = { $name }: it is one of { $known }, not “{ $text }”
tool-not-whole = { $name }: “{ $text }” is no whole number
tool-not-numeric = { $name }: “{ $text }” is no number
tool-not-yes-no = { $name }: “{ $text }” is neither yes nor no
tool-not-words = { $name }: it takes no words
tool-refused-argument = { $name }: { $why }
tool-refused-arguments = it does not take this: { $why }
tool-schema-unusable = its input schema cannot be used: { $why }
tool-asks-nothing = it asks for nothing
tool-asks-many = it asks for { $count } things at once, and { $most } are the most
tool-asks-structure = it asks for { $name }, which is no single word
tool-wants-page = it sends people to a web page, which is not done from here
tool-unknown = it knows nothing of this any more: { $why }
tool-ended = { $how ->
    [sign_in] it wants somebody to sign in over there
    [refused] it does not take this
   *[failed] it failed
}
tool-ended-with = { $how ->
    [sign_in] it wants somebody to sign in over there
    [refused] it does not take this
   *[failed] it failed
}: { $why }
