### The lists of conversations, beside the chat and as pages of their own.

page-search-conversations = Search my conversations
page-all-conversations = All conversations
page-older-conversations = Older conversations
page-no-conversations = There are no conversations yet.
script-of-others = Of others
page-found-of = Search: { $q }
page-nothing-found = Nothing of this was said in what was searched.
page-search-further = Search further back
page-title-of-conversation = Title
page-rename = Rename
page-remove = Remove from my list
page-remove-means = It leaves your list and your searches, and comes back when somebody writes in it again. Nothing that was said is erased, what was approved is still done, and an operator can still read it. To erase what you said, write “{ $command } forget me”.
page-remove-waiting =
    { $count ->
        [one] One question or card waits in it. It stays open, and can be answered until it expires.
       *[other] { $count } questions and cards wait in it. They stay open, and can be answered until they expire.
    }
script-pinned = Pinned
script-last-days = The last seven days
script-last-month = The last thirty days
script-earlier = Older
script-needs-you = needs you
script-unread = new
script-options-of = Options of “{ $title }”
script-pin = Pin
script-unpin = Unpin
script-rename-or-remove = Rename or remove

### Files of messages.

page-attach = Attach files
page-attached = Attached files
script-detach = Remove { $name }
script-picture = picture
script-file-too-large = { $name } is larger than 5 MB, so it was not attached.
script-too-many-files = A message has at most { $most } files.
script-file-not-kept = { $name } could not be sent. Attach it again when the network is back.

### The chat in a frame of another site's page.

page-close-chat = Close the chat
page-embed-signing-in = You are being signed in by the page around the chat.
page-embed-refused = That did not work: the link was used before, or its time is over. Reload the page.
page-embed-own-window = Open the chat in a window of its own

### The installed app.

page-offline = The network is away
page-offline-kept = Nothing is shown here that could be out of date. What you wrote and could not send is kept in its tab, and is sent when the network is back.
page-notify = Notify me on this device of what waits for me
script-notify-forbidden = This browser does not allow notifications from here. Its settings for this site can change that.
script-notify-failed = That could not be changed. Try it again.
