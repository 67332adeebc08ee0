### Words that sentences of several subjects share: buttons, parts of tickets, states, moments.

button-label = { $action ->
    [approve] Approve
    [reject] Reject
    [edit] Edit
    [select_review] Review
    [select_ticket] Create ticket
    [dismiss] Not now
    [remember] Remember for this thread
    [adopt] It exists…
    [create_again] Create again
    [happened] It happened
    [do_again] Do it again
    [cancel] Cancel
    [forget] Clear remembered mode
    [edit_story] Edit…
    [remove_story] Remove
    [add_story] Add a story…
    [confirm_quantity] Confirm the number
    [confirm_size] Create all
    [split] Split into batches
    [show_full] Show full
    [approve_decision] Record the decision
    [turn_into_ticket] Turn into tickets
    [finish] Finish
    [retry_missing] Retry missing
    [comment] Comment on the issue
    [option] Choose
    [none_of_these] None of these
    [leave] Leave the list
   *[more] More
}

# What somebody did by pressing a button: "approved".
button-pressed = { $action ->
    [approve] approved
    [reject] rejected
    [edit] changed
    [select_review] answered
    [select_ticket] answered
    [dismiss] dismissed
    [remember] changed
    [adopt] adopted
    [create_again] created again
    [happened] confirmed
    [do_again] sent again
    [cancel] cancelled
    [forget] cleared
    [edit_story] changed
    [remove_story] changed
    [add_story] changed
    [confirm_quantity] confirmed
    [confirm_size] confirmed
    [split] split
    [show_full] shown in full
    [approve_decision] recorded
    [turn_into_ticket] turned into tickets
    [finish] finished
    [retry_missing] tried again
    [comment] commented
    [option] answered
    [none_of_these] rejected
    [leave] left
   *[more] answered
}
button-pressed-by = { $done } by @{ $who } { $at }

part-label = { $part ->
    [title] Title
    [problem] Problem
    [steps] Steps to reproduce
    [expected] Expected
    [actual] Actual
    [acceptance] Acceptance criteria
    [solution] Proposed solution
    [constraints] Constraints
    [dependencies] Dependencies
    [risks] Risks
    [evidence] Evidence
    [questions] Open questions
    [labels] Labels
    [priority] Priority
   *[assignee] Assignee
}

item-type = { $kind ->
    [bug] Bug
    [story] Story
    [task] Task
   *[epic] Epic
}
# A number of items of one type: "5 stories".
item-count = { $n ->
    [one] { $n } { $kind ->
        [bug] bug
        [story] story
        [task] task
       *[epic] epic
    }
   *[other] { $n } { $kind ->
        [bug] bugs
        [story] stories
        [task] tasks
       *[epic] epics
    }
}

# The offers of short answers.
offer-skip = Skip
offer-cancel = Cancel
offer-yes = yes
offer-no = no

list-and = { $first } and { $last }
list-or = { $first } or { $last }
quoted = “{ $text }”

# A file of a message: "photo".
file-kind = { $kind ->
    [animation] animation
    [photo] photo
    [video] video
    [video-message] video message
    [voice-message] voice message
    [audio-file] audio file
    [file] file
    [sticker] sticker
    [picture] picture
    [story] story
    [place] place
    [contact] contact
    [poll] poll
    [checklist] checklist
    [dice] dice
   *[other] { $word }
}

## Moments

time-day = { $day } { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
} { $clock }
time-year = { $day } { $month ->
    [1] Jan
    [2] Feb
    [3] Mar
    [4] Apr
    [5] May
    [6] Jun
    [7] Jul
    [8] Aug
    [9] Sep
    [10] Oct
    [11] Nov
   *[12] Dec
} { $year } { $clock }
time-date = { $day } { $month ->
    [1] January
    [2] February
    [3] March
    [4] April
    [5] May
    [6] June
    [7] July
    [8] August
    [9] September
    [10] October
    [11] November
   *[12] December
}
