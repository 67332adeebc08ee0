### Lists of options.

option-list-gone = This list is no longer there
option-all-set = All set: nothing is open here.
option-closed = The list is closed. Say “back to options” to see it again.
option-not-yours = This list was shown to somebody else.
option-on-its-way = “{ $label }” is on its way already.
option-waits = “{ $label }” waits for approval on its card.
option-chosen = “{ $label }”: on it.
option-run = Run “{ $label }”
option-maybe-done = Nobody reported what came of “{ $label }”, so it may or may not be done. It is not done again by itself.
option-unreported = Nobody reported what came of “{ $label }”. Choose it again to try once more.
option-failed = “{ $label }” did not work.
option-failed-why = “{ $label }” did not work: { $why }

# Where a list is.
option-from-title = from { $title }
option-from-chat = from the list in this chat
option-in-title = in { $title }
option-in-scope = in the { $scope ->
    [chat] chat
    [widget] widget
    [dashboard] dashboard
   *[workspace] workspace
}
option-scope = { $scope ->
    [chat] chat
    [widget] widget
    [dashboard] dashboard
   *[workspace] workspace
}

option-which = Which one { $place } do you mean?
option-which-only = That one can only be opened where it is shown. Please tap it { $place }.
option-which-conditional = I do only what is wanted now. Tell me when it is time, or choose one { $place }.
option-which-reply = The message you reply to does not show these. Which one { $place } do you mean?
option-which-unseen = This came after you wrote. Which one { $place } do you mean?
option-which-several = One at a time, please. Which one { $place } first?
option-which-range = There is no such place { $place }. Which one do you mean?
option-which-tie = Several { $place } have that name. Which one do you mean?
option-which-compared = What is known of them { $place } does not say which. Which one do you mean?
option-which-collision = That could be two different ones { $place }. Which one do you mean?
option-which-command = Is that one of the options { $place }, or something else you want done? Choose one, or say it in other words.
option-which-unsure = I am not sure which one { $place } you mean. Which one?
option-which-yes = Yes to which one { $place }?
option-which-noise = I did not understand that. Which one { $place }?
option-which-hesitation = No hurry. These are the options { $place }:
option-which-shown = These are the options { $place }:
option-which-instead = Which one { $place } instead?
option-which-changed = The list has changed. Which one { $place } do you mean?
option-which-again = Shall I open “{ $first }” again? These are the options { $place }:
option-which-first = Do you mean “{ $first }” { $place }?
option-still = I still cannot tell. Please choose one { $place } by its number or its name.
option-stays = The list stays here: tap one, or say “back to options”.
option-more = … more
option-instead = “{ $label }” instead?
option-this-one = Do you mean “{ $label }”?
option-refine = OK, none of those { $place }. What are you looking for?
option-put-aside = I put the list aside. Say “back to options” to return.
option-put-aside-named = I put the list aside. Say “back to options” to return; to choose “{ $label }”, press it or say its number.
option-scope-missing = There is no list in “{ $first }” to choose from.
option-scope-elsewhere = Do you mean “{ $text }” in { $first }?
option-scope-typo = Do you mean from { $first }?
option-scope-which = Where do you mean: { $names }?
option-was-not = No, not lately in this conversation.
option-was-done = Yes: “{ $label }”, at { $at }.
option-once-more = I am still not sure. { $question }
