### What the Telegram channel says of its own: long cards, questions, the menu of commands.

telegram-whole-text = Its whole text is { $messages ->
    [one] the message above
   *[other] the { $messages } messages above
}: { $count } characters.
telegram-your-answer = Your answer
telegram-menu-help = What I can do
telegram-menu-ticket = Draft a ticket: /ticket the login fails
telegram-menu-status = What is going on here
telegram-menu-pending = What waits for an answer or a press
telegram-menu-why = Why I did what I last did
telegram-menu-forget = Forget what this chat remembers
telegram-menu-stop = Stop what is running
