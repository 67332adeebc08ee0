### The pages of the web chat, as the server makes them.

page-skip = Skip to the content
page-conversations = Conversations
page-new-conversation = New conversation
page-of-owner = of { $owner }
page-workspace = Workspace
page-chat-alone = Chat alone
page-console = Console
page-you-are = You are
page-signed-in = Signed in as { $user }
page-sign-out = Sign out
page-welcome = What should become of it?
page-welcome-text = Write what is on your mind. I ask when I am not sure, show you exactly what would happen, and do nothing outside of this conversation before somebody presses Approve.
page-examples = Examples
page-example-bug = Create a bug: the log-in page stays blank
page-example-opinion = What do you think about microservices?
page-example-help = What can you do?
page-earlier = Earlier messages
page-to-newest = To the newest messages
page-conversation = Conversation
page-new-messages = New messages
page-message = Message
page-write = Write a message
page-send = Send
page-no-reply = Do not reply to it
page-hint-enter = sends
page-hint-shift = starts a new line

## Signing in

page-sign-in = Sign in
page-sign-in-with = Sign in with { $provider }
page-sign-in-as = Sign in as { $user }
page-sign-in-link = This link signs you in as { $user }, once.
page-sign-in-how = Open the link that an operator gave you, or use a token of your own.
page-token = Token
page-wrong-token = That token is not one of this installation. Check it, and try again.
page-moment = One moment. Reload the page if nothing happens.

## Forms, errors and issues

page-edit = Edit
page-edit-over = Nothing can be changed here any more. What you typed is kept on this page, to copy.
page-to-conversations = To my conversations
page-slack-installed = Installed in { $workspace }
page-slack-installed-next = Write to the app in Slack, or mention it in a channel.
page-refusal-explained = Whoever runs this installation can look up what to do with “throughline explain { $code }”.
page-stories = Stories
page-links = Links
page-named-by = named by
page-comments = Comments
page-closed = closed
page-given-to = assigned to { $name }
page-kind-of = { $kind } of

## The workspace

page-panels = Panels
page-open-document = Open document
page-by-name = By name
page-sort-by-name = Sort { $panel } by name

## Where somebody is signed in

page-sessions = Where I am signed in
page-sessions-are = Each browser in which you signed in, until you sign out there or its time is over. End what you do not know.
page-sessions-none = You are signed in nowhere: here nobody signs in.
page-session-here = this browser
page-session-unnamed = A browser without a name
page-session-by = Signed in
page-session-by-link = by a one-time link
page-session-by-token = with a token
page-session-by-account = with an account
page-session-since = Since
page-session-seen = Last seen
page-session-until = Until
page-session-end = End it
page-session-end-others = End all others
