### What the Slack channel says of its own: buttons that only it has, forms, Home.

slack-show-all = Show all
slack-change-item = Change an item…
slack-shortened = Shown shortened: { $chars } characters in all. “Show all” has every one.
slack-more-items = … and { $n } more
slack-whole-title = In full
slack-whole-as-file = The whole text is too long for a window. It is in the thread, as a file.
slack-no-file = The rest is too long for a window, and the app may not upload files (files:write).
slack-save = Save
slack-close = Close
slack-press-again = Please press the button again: the form did not open in time.
slack-outdated-title = Not saved
slack-outdated = Meanwhile this was changed or decided, so your form was not saved. What you typed is here to copy.
slack-field-too-long = At most { $most } characters.
slack-thinking = is thinking…
slack-home-title = Waiting for you
slack-home-nothing = Nothing waits for you.
slack-home-modes = Remembered for threads
slack-home-threads = Your threads
slack-home-open = Open
slack-home-clear = Clear
slack-home-help = Mention me in a channel, or write me a message. “{ $command } help” lists what I understand.
slack-suggest-ticket = Create a ticket for the login bug
slack-suggest-review = What do you think about microservices?
slack-suggest-open = What is open?
slack-suggest-title = You could ask
