//! Table of the error codes. Insert a new code where its number belongs; never reuse a number.

use super::Code;

codes! {
    CONFIG_SYNTAX = 1001, "config.syntax", None, "The configuration file is not valid TOML",
        "A configuration file could not be parsed; the message names file, line and column.",
        "The text is not TOML 1.1: a quote, bracket or equals sign is missing, or a key is written twice.",
        "Correct the named line. `throughline config check` reads the files without starting anything.",
        [];
    CONFIG_UNKNOWN_KEY = 1002, "config.unknown_key", None, "A setting of that name does not exist",
        "A file, an environment variable or a flag names a setting that this version does not have.",
        "A misspelt setting would otherwise be ignored in silence, and the default would run instead.",
        "Use the suggested name, or remove the line. `throughline config schema` lists every setting.",
        [];
    CONFIG_INVALID = 1003, "config.invalid_value", None, "A setting has a value it cannot have",
        "A setting's value is of the wrong kind, or is not one of the values that are allowed.",
        "Every setting has one kind (text, whole number, true or false, list, table), and some a fixed set of words.",
        "Write a value of the kind the message names. `throughline config schema` lists them.",
        [];
    CONFIG_INCONSISTENT = 1004, "config.inconsistent", None, "Two settings do not fit together",
        "Each setting is valid, but together they cannot work: a name that is not defined, or one defined twice.",
        "For example, a token of a user who is not in `users`, or a default project that is not in `projects`.",
        "Define what is named, or name what is defined; the message says which.",
        ["users", "tokens", "projects", "policy.project"];
    DEMO_NOT_LOOPBACK = 1005, "config.demo_not_loopback", None, "The demo listens on this machine only",
        "A demo was asked to listen on an address that other machines can reach, to answer to another machine's name, or to have tokens. It did not start.",
        "The demo needs no token: whoever reached it could approve. So it binds to loopback addresses only, under this machine's own names, and a token in it would protect nothing.",
        "Leave `server.listen` at 127.0.0.1 and remove what the message names, or configure users and tokens and start without --demo.",
        ["server.listen", "server.demo", "server.public_url", "server.allowed_hosts", "web.frame_ancestors", "tokens"];
    CONFIG_UNREADABLE = 1006, "config.unreadable", None, "A configuration file cannot be read",
        "A file that was named cannot be opened or is not UTF-8.",
        "It does not exist, or this user may not read it.",
        "Check the path and its permissions. Files that are only looked for (not named) may be missing.",
        ["instance_key_file"];
    LISTEN_FAILED = 1101, "start.listen", None, "The address cannot be listened on",
        "The server could not open its port and did not start.",
        "Another process listens there, or the address is not one of this machine's.",
        "Stop the other process, or choose another port with `server.listen`.",
        ["server.listen"];
    INSTANCE_KEY = 1102, "start.instance_key", None, "The instance key cannot be used",
        "The file of the instance key could not be read or written, or does not hold 32 bytes. Nothing was started.",
        "Button tokens are derived from this key. With another key, cards that are already shown would stop working.",
        "Restore the file (mode 0600, 32 bytes) from a backup. If it is truly lost, delete it: a new one is made. Processes that share a store need the same one: copy it.",
        ["instance_key_file"];
    STORE_URL = 1103, "start.store_url", None, "The store's address is not one this version knows",
        "`store.url` names a kind of store that is not built in, or a setting beside it does not fit it.",
        "Data is kept in `sqlite:PATH`, on a server at `postgres://USER@HOST/DATABASE`, or in `memory:` for as long as the process lives. `store.listen_url`, `store.password_file` and `store.redis_url` are for a server; `store.redis_url` is `redis://HOST` or `rediss://HOST`, without a password.",
        "Use `sqlite:throughline.db`, another path, or the address of a PostgreSQL server.",
        ["store.url", "store.listen_url", "store.password_file", "store.redis_url", "store.redis_password_file"];
    TELEGRAM_CONFIG = 1104, "start.telegram", None, "The Telegram channel cannot be used as it is configured",
        "The token file, the secret file or the address of the Bot API cannot be used. Nothing was started.",
        "A bot without a valid token receives nothing, and a webhook without a secret could be called by anybody.",
        "Correct what the message names. @BotFather gives the token; the secret is one of your own making.",
        ["telegram.token_file", "telegram.secret_file", "telegram.api_base", "telegram.allow_loopback"];
    SLACK_CONFIG = 1105, "start.slack", None, "The Slack channel cannot be used as it is configured",
        "A token file, the file of the signing secret or the address of the Web API cannot be used. Nothing was started.",
        "The bot's token begins with xoxb-, the app-level token with xapp-; without the secret anybody could deliver.",
        "Correct what the message names. docs/slack.md shows where Slack gives each of them.",
        ["slack.bot_token_file", "slack.app_token_file", "slack.signing_secret_file", "slack.api_base", "slack.allow_loopback"];
    MAIL_CONFIG = 1106, "start.mail", None, "Mail cannot be sent as it is configured",
        "The settings under `mail` do not go together, or the file of the password cannot be read. Nothing was started.",
        "A mail goes over TLS or to a server on this machine, has a sender, and links to a page, so the address of the pages has to be known.",
        "Correct what the message names; docs/mail.md has an example.",
        ["mail.server", "mail.port", "mail.tls", "mail.user", "mail.password_file", "mail.from", "mail.allow_loopback", "server.public_url"];
    PUSH_CONFIG = 1107, "start.push", None, "Notifications cannot be sent as they are configured",
        "`push.contact` is no address. Nothing was started.",
        "A push service wants to be able to reach whoever sends through it, by mail or on a page over https.",
        "Write it like mailto:ops@example.org or https://example.org/contact; docs/notifications.md has an example.",
        ["push.contact", "push.allow_loopback"];
    SCENARIO_INVALID = 1201, "scenario.invalid", None, "A scenario file cannot be read",
        "A scenario is not valid YAML, or says something the scenario language does not have.",
        "A misspelt expectation would otherwise never be compared, and the scenario would pass whatever happened.",
        "Correct the named line; the message suggests the nearest key. docs/scenarios.md describes the language.",
        [];
    EVAL_UNREADABLE = 1202, "eval.unreadable", None, "A file of labelled cases cannot be read",
        "A file or folder that was named for `eval` cannot be opened, or is not UTF-8. Nothing was measured.",
        "It does not exist, this user may not read it, or it is no text.",
        "Check the path. Of a folder, every file that ends in .jsonl is read.",
        [];
    EVAL_INVALID_CASE = 1203, "eval.invalid_case", None, "A line is no labelled case",
        "A line of a file of cases is not JSON, is of a kind that does not exist, or lacks a field of its kind.",
        "Figures over the other lines would be figures over other data, so nothing was measured.",
        "Correct the named line, or take it out. docs/evals.md lists the kinds and their fields.",
        [];
    EVAL_NO_CASES = 1204, "eval.no_cases", None, "There is no labelled case to measure",
        "The files that were named hold no case, or none that --task, --source, --type, --gold and --text all keep.",
        "A figure over no case is no figure.",
        "Name files of JSON Lines, a case a line, or ask for less. docs/evals.md shows the form.",
        [];
    EVAL_BASELINE = 1205, "eval.baseline", None, "The baseline cannot be compared with",
        "The file of a baseline cannot be read, is none, or was recorded over other cases than these.",
        "A change of a figure says something only when both figures are over the same lines in the same order.",
        "Record one over these cases with --record-baseline, from the version you compare with.",
        [];

    CONTEXT_UNUSABLE = 1301, "context.unusable", Some(422), "The state or the task cannot be used",
        "A supervisor's document or a task file is not one that a prompt could be made of. Nothing was printed.",
        "It is no JSON object, one of its lists is none, a task has no id, or it is larger than 16 MiB.",
        "Correct what the message names; docs/context.md shows what is read. What is unknown is never an error.",
        [];
    CONTEXT_TOO_LARGE = 1302, "context.too_large", Some(422), "The prompt does not fit",
        "What a prompt never leaves out (rules, contract, record of tasks, the task itself) is more than it may hold.",
        "Words of people and of supervisors are never shortened.",
        "Allow more with `--max-tokens` or `policy.context.max_tokens`, or say it in fewer words.",
        ["policy.context.max_tokens"];
    REDIS_UNREACHABLE = 1303, "redis.unreachable", None, "Redis cannot be reached",
        "The Redis server that was named did not answer in time, or not as Redis does. Nothing was read.",
        "It is down, listens elsewhere, or speaks TLS, which this command does not.",
        "Check host and port with `redis-cli ping`; for TLS, put a tunnel in front.",
        [];
    REDIS_KEY = 1304, "redis.no_document", None, "Redis has no document under that key",
        "Redis answered, and did not hand over a text: there is no such key, it holds something else, or reading it is not \
         allowed.",
        "The key is misspelt, in another database, or the password is missing.",
        "Look with `redis-cli -n DB type KEY`; name a database as redis://HOST/DB, a password with --redis-password-file.",
        [];

    MALFORMED_JSON = 2001, "request.malformed_json", Some(400), "The body is not JSON",
        "The request's body could not be parsed; the problem names line and column. Nothing was recorded.",
        "A body is one JSON value in UTF-8.",
        "Correct the body and send it again, with the same Idempotency-Key if you like.",
        [];
    TOO_DEEP = 2002, "request.too_deep", Some(400), "The body is nested too deeply",
        "Arrays and objects are nested more than 64 deep. Nothing was recorded.",
        "No request needs that, and deep nesting is a way to exhaust a parser.",
        "Send a flatter body.",
        [];
    TOO_LARGE = 2003, "request.too_large", Some(413), "The body is too large",
        "The body is larger than what is taken here: 256 KiB, a file 5 MiB, all files of a conversation 100 MiB. Nothing was recorded.",
        "Messages are conversation; files are sent on their own.",
        "Send less text, send a file to POST /v1/files, or a link to it.",
        [];
    TIMEOUT = 2004, "request.timeout", Some(408), "The request did not arrive in time",
        "The headers took more than 5 seconds or the body more than 10. Nothing was recorded.",
        "A slow or stuck client would otherwise hold a connection for ever.",
        "Send the request again, with the same Idempotency-Key: it cannot be handled twice.",
        [];
    MEDIA_TYPE = 2005, "request.media_type", Some(415), "The body's media type is not taken here",
        "The Content-Type is missing or is not application/json. Nothing was recorded.",
        "Browsers send other types to other sites without asking; taking only JSON closes that door.",
        "Send `Content-Type: application/json`.",
        [];
    SCHEMA = 2006, "request.schema", Some(422), "The request is JSON, but not what this route takes",
        "A field is missing, unknown, or has a value it cannot have; `errors` points at it. Nothing was recorded.",
        "What is not understood is refused rather than guessed.",
        "Compare with /v1/openapi.json and correct the named field.",
        [];
    BAD_REQUEST = 2007, "request.malformed", Some(400), "The request cannot be understood",
        "The path, the query or a header is not what this route takes; `detail` says which. Nothing was recorded.",
        "It is not valid: for example a limit that is no number, or a cursor that we did not give out.",
        "Correct what `detail` names.",
        [];
    INTERNAL = 2008, "request.internal", Some(500), "Something went wrong in here",
        "Handling the request failed in a way that should not happen. The log has the details under the request's id.",
        "This is a defect. An event that was accepted is durable all the same and will be handled.",
        "Send it again with the same Idempotency-Key. Please report it with the Throughline-Request header's value.",
        [];
    DRAINING = 2009, "server.draining", Some(503), "This instance is shutting down",
        "The instance takes no new requests; those that run are finished. Nothing was recorded.",
        "It was asked to stop.",
        "Send the request again after Retry-After seconds, or to another instance.",
        [];
    HEAD_TOO_LARGE = 2010, "request.head_too_large", Some(431), "The request line or the headers are too large",
        "Request line and headers together are larger than 64 KiB. Nothing was recorded.",
        "No request needs that.",
        "Send fewer or shorter headers, or a shorter path.",
        [];
    NOT_LISTENING = 2011, "server.not_listening", Some(503), "A channel does not listen yet",
        "The instance has started, but a channel of it takes no messages yet.",
        "It has not asked Telegram for updates yet, or another process of the installation does.",
        "Ask again in a second. If it stays, stop the other process.",
        ["telegram.mode"];
    BUSY = 2012, "server.busy", Some(503), "Every connection is busy",
        "As many connections as may be open are busy with requests, so this one was only there for probes. Nothing was recorded.",
        "The limit keeps the process within its memory. Idle connections, and those whose clients read nothing, were closed before.",
        "Send the request again after Retry-After seconds, with the same Idempotency-Key. Behind a proxy, every connection comes from the proxy's address.",
        ["server.connections", "server.connections_per_peer"];
    NO_TOKEN = 2101, "auth.required", Some(401), "A token is needed",
        "The request carries no bearer token.",
        "Outside the demo, every request says who sends it.",
        "Send `Authorization: Bearer tlk_…`. `throughline token create NAME --principal USER` makes one.",
        ["tokens"];
    BAD_TOKEN = 2102, "auth.invalid", Some(401), "The token is not valid",
        "The bearer token is unknown, or its secret is wrong.",
        "It was mistyped, revoked, or belongs to another installation.",
        "Check the token, or make a new one with `throughline token create NAME --principal USER`.",
        ["tokens"];
    SCOPE = 2103, "auth.scope", Some(403), "The token may not do this",
        "The token is valid but lacks the scope that this route needs; `detail` names it. Nothing was recorded.",
        "A token holds only the scopes it was given.",
        "Add the scope to the token's `scopes`, or use another token. Whoever is signed in at a browser has the scopes of their roles: an administrator can change those.",
        ["tokens"];
    ACT_AS = 2104, "auth.act_as", Some(403), "The token may not act for somebody else",
        "The request names an actor other than the token's own principal. Nothing was recorded.",
        "Acting for others needs the scope `act_as`. (To approve, the actor must be in an approver rule as well.)",
        "Leave `actor` out, or give the token the scope `act_as`.",
        ["tokens"];
    HOST_REFUSED = 2105, "host.not_allowed", Some(403), "The request was addressed to another host name",
        "The Host header is not on the allow-list. Nothing was recorded.",
        "In the demo and on loopback, a web page from elsewhere could otherwise reach us through DNS rebinding.",
        "Use 127.0.0.1 or localhost with our port, or add the name to `server.allowed_hosts`.",
        ["server.allowed_hosts"];
    ORIGIN_REFUSED = 2106, "origin.not_allowed", Some(403), "The request comes from another site's page",
        "The Origin header is not on the allow-list. Nothing was recorded.",
        "In the demo and on loopback, only our own pages may call us from a browser.",
        "Open the page from our own address, or add its host to `server.allowed_hosts`.",
        ["server.allowed_hosts"];
    SESSION_OVER = 2107, "session.over", Some(401), "You are signed in no more",
        "The browser's cookie is not one that counts: it ended, was signed with another instance key, or its user or token is gone. Nothing was recorded.",
        "A cookie says who signed in. It counts for seven days, as long as the user or the token it stands for is configured.",
        "Reload the page and sign in again. What was typed stays in the browser until then.",
        ["users", "tokens", "instance_key_file"];
    CSRF = 2108, "session.csrf", Some(403), "The request does not come from the page it should",
        "A browser that is signed in sent a change without the token of its page, or with another's. Nothing was recorded.",
        "The token shows that our own page sends, and not another site in the same browser. Signing in as somebody else changes it.",
        "Reload the page. A program sends `Authorization: Bearer tlk_…` and no cookie.",
        [];
    LINK_OVER = 2109, "sign_in.link_over", Some(410), "The sign-in link cannot be used any more",
        "The link was used before, is older than ten minutes, or was not made by this installation. Nobody was signed in.",
        "Whoever has the link can sign in with it, so it works once and not for long.",
        "Ask an operator for a new one: `throughline token link USER`.",
        ["users"];
    OPENID_UNAVAILABLE = 2110, "sign_in.provider", Some(502), "The provider of sign-ins could not be used",
        "The provider did not answer, or its answer could not be used. Nobody was signed in.",
        "It is down, its address or our registration there is wrong, or the sign-in took longer than its code lasts.",
        "Sign in again. If it stays, `throughline doctor` asks the provider and says what it found.",
        ["openid.issuer", "openid.client_id", "openid.client_secret_file"];
    OPENID_REFUSED = 2111, "sign_in.refused", Some(403), "This account signs nobody in here",
        "The provider vouches for the account, but it is nobody's here, or of somebody who is suspended. Nobody was signed in.",
        "Its claims give it no role, lack the id, or name somebody whose account is another one.",
        "Ask an administrator, who sees people and their accounts at /console/people.",
        ["openid.user_claim", "openid.roles_claim", "openid.roles", "openid.default_role"];
    OPENID_MISCONFIGURED = 2112, "openid.misconfigured", None, "Sign-in by OpenID Connect cannot be used as it is configured",
        "A setting of `openid` is missing or cannot be used. Nothing was started.",
        "Without an address, an id and a source of roles nobody could sign in.",
        "Correct what the message names. docs/sign-in.md shows what providers ask for.",
        ["openid.issuer", "openid.client_id", "openid.client_secret_file", "openid.roles_claim"];
    KEY_REQUIRED = 2201, "idempotency.key_required", Some(400), "An Idempotency-Key is needed",
        "A request that changes something came without an Idempotency-Key header, or with one that is not 1 to 255 visible ASCII characters. Nothing was recorded.",
        "The key is what makes it safe to send a request again when its answer was lost.",
        "Send a new random key, a UUID for example, with every new request, and the same key with every repetition.",
        [];
    IN_PROGRESS = 2202, "idempotency.in_progress", Some(409), "The same request is still being handled",
        "A request with this Idempotency-Key and this body is being handled right now.",
        "It was sent again before the first one had its answer.",
        "Ask again after Retry-After seconds, with the same key: you will get the first one's answer.",
        [];
    KEY_REUSED = 2203, "idempotency.key_reused", Some(422), "The Idempotency-Key was used for another request",
        "This key came before with another body. Nothing was run.",
        "A key names one request for 48 hours.",
        "Send the new request with a new key.",
        [];
    QUEUE_FULL = 2204, "intake.queue_full", Some(429), "Too many messages wait in this conversation",
        "The conversation already has as many waiting messages as are allowed, so this one was not taken. The user is told so there.",
        "Messages of one conversation are handled in order; the limit keeps one conversation from holding everything up.",
        "Send the same request again after Retry-After seconds; it may have the same Idempotency-Key.",
        ["policy.intake.queue"];
    TOO_MANY_STREAMS = 2205, "stream.too_many", Some(429), "Too many event streams are open",
        "This person, or this program's principal, has 100 open event streams, whatever tokens they were opened with.",
        "Each open stream holds a connection.",
        "Close streams that nobody reads, and try again after Retry-After seconds.",
        [];
    EVENT_REUSED = 2206, "intake.event_reused", Some(422), "The event_id was used for another event",
        "An event with this event_id came before with another body, from another user, or for another conversation. Nothing was run.",
        "An event_id names one event of a host for 48 hours, whatever the Idempotency-Key.",
        "Send the new event with an event_id of its own, or without one. To repeat the first event, send what was sent then.",
        [];
    TOO_FAST = 2207, "rate.exceeded", Some(429), "Requests come faster than they are taken",
        "More requests came from one address, or in one person's name, than are taken in a second, after a burst of ten seconds' worth. This one was not looked at, and nothing was recorded.",
        "One sender must not take what others need.",
        "Send the same request again after Retry-After seconds, with the same Idempotency-Key: it is taken then. An address behind which many people are, as that of a proxy, needs a higher rate.",
        ["server.rate_per_peer", "server.rate_per_person"];
    AGUI_WRONG_THREAD = 2301, "agui.wrong_thread", Some(409), "The interrupt belongs to another thread",
        "An answer in `resume` names an interrupt of another thread. Nothing was applied.",
        "An interrupt is answered in the thread that asked, so that nobody decides what they do not see.",
        "Run the agent with the thread that sent the interrupt.",
        [];
    AGUI_UNKNOWN = 2302, "agui.unknown_interrupt", Some(404), "The interrupt is not known",
        "An answer in `resume` names an interrupt that this thread never had. Nothing was applied.",
        "The id of an interrupt is that of a card and its version; it was mistyped, cut or made up.",
        "Take the ids from the interrupts of the newest run.",
        [];
    AGUI_PARTIAL = 2303, "agui.partial_resume", Some(409), "An open interrupt is not answered",
        "`resume` answers some of the open interrupts and leaves others out. Nothing was applied.",
        "Whoever goes on answers everything that waits for them, so that nothing is passed over.",
        "Answer every interrupt that the message names; the status `cancelled` leaves one.",
        [];
    AGUI_OPEN = 2304, "agui.interrupts_open", Some(409), "Interrupts are open",
        "A message came while the thread waits for answers to interrupts. The message was not taken.",
        "A text approves nothing, and what is open would be lost from sight.",
        "Answer or cancel them in `resume`, or send `throughline.parallel` = true in `forwardedProps`. The event `throughline.interrupts` lists them.",
        [];
    AGUI_PAYLOAD = 2305, "agui.invalid_payload", Some(422), "The answer does not fit the interrupt",
        "The payload of an answer is not what the interrupt's `responseSchema` describes. Nothing was applied.",
        "What is not understood is refused rather than guessed.",
        "Send a payload of that schema, such as `{\"approved\": true}`.",
        [];
    AGUI_EXPIRED = 2306, "agui.expired", Some(410), "The interrupt has expired",
        "An answer came after the interrupt's `expiresAt`. Nothing was applied.",
        "What was checked and shown that long ago may not hold any more.",
        "Cancel the interrupt to go on, and ask for it again.",
        ["policy.approval.max_age_ms"];
    AGUI_NOTHING = 2307, "agui.no_message", Some(422), "The run has nothing to do",
        "The input of a run has neither a message of the user nor an answer to an interrupt.",
        "The agent answers messages; a thread is read by its lane.",
        "Add a message with the role `user` to `messages`, or answers to `resume`.",
        [];
    AGUI_TIMEOUT = 2308, "agui.run_timeout", Some(504), "The run took too long",
        "The run ended before everything that it began did. What was sent is durable, and goes on.",
        "A model, a tracker or the host's agent has not answered in the time of a run, or that of `Prefer: wait`.",
        "Run again with the same input: nothing is done twice, and what has come meanwhile is told.",
        ["policy.handover_ms"];
    NOT_FOUND = 2404, "not_found", Some(404), "There is nothing here under that name",
        "The path, or the id in it, is not known to this tenant.",
        "It was mistyped or never existed, or it belongs to somebody else: the answer is the same.",
        "Check the address or the id. Lists show what there is; programs find them at /v1/lanes, /v1/approvals and /v1/effects.",
        [];
    METHOD = 2405, "request.method", Some(405), "This path does not take that method",
        "The path exists, but not with this method; the Allow header lists those it takes.",
        "Each route takes the methods of /v1/openapi.json.",
        "Use one of the methods in the Allow header.",
        [];

    TELEGRAM_TOKEN = 3201, "telegram.token", None, "Telegram refuses the bot's token",
        "The Bot API answers 401 to our token. Nothing is received, and what waits to be sent waits on.",
        "The token was revoked or belongs to another server, or its file holds an old one.",
        "Ask @BotFather for the token, write it into the file and restart. `throughline doctor` shows the bot it is for.",
        ["telegram.token_file"];
    TELEGRAM_MARKS = 3202, "telegram.marks", None, "Telegram cannot read the marks of a text",
        "A message was refused for its marks. The same words were sent once more without any, so nothing is lost.",
        "Telegram reads a few HTML tags only; a change over there may have taken one away.",
        "Nothing; if it happens often, please report it with the version of both sides.",
        [];
    TELEGRAM_WEBHOOK_SET = 3203, "telegram.webhook_set", None, "Telegram delivers to a webhook, so nothing can be polled",
        "The configuration polls, but the bot's updates go to a webhook. The server did not start, or stopped receiving.",
        "Telegram delivers either way, never both. Another installation, or an earlier one, has set the webhook.",
        "`throughline telegram setup` removes it; what waits is kept. Or use `mode = \"webhook\"`.",
        ["telegram.mode"];
    TELEGRAM_CONFLICT = 3204, "telegram.conflict", None, "Another program polls with the same token",
        "Telegram ended our poll because somebody else asks for the same bot's updates. Each gets a part of them.",
        "Instances that share a store take turns by themselves. This one shares nothing with us: a test, an old process.",
        "Stop the other program, or give it a bot of its own. @BotFather can revoke the token if you cannot find it.",
        ["telegram.token_file"];
    TELEGRAM_SECRET = 3205, "telegram.secret", Some(401), "The webhook's secret is missing or wrong",
        "A delivery to the webhook did not carry our secret. Nothing was recorded.",
        "Only Telegram knows the secret; whoever does not send it is not Telegram, or the secret was changed here only.",
        "After a change of the secret file, `throughline telegram setup` tells Telegram.",
        ["telegram.secret_file"];

    SLACK_TOKEN = 3301, "slack.token", None, "Slack refuses the app's token",
        "The Web API does not take our token, or the app was removed. What waits to be sent waits on.",
        "The token was revoked, the app was uninstalled, or its file holds an old token.",
        "Install the app again, copy its token into the file and restart. `throughline doctor` shows the app it is for.",
        ["slack.bot_token_file"];
    SLACK_SCOPE = 3302, "slack.scope", None, "The Slack app lacks a scope",
        "A call was refused because the app was not granted what it needs. What it was for is told where it was asked for.",
        "The app was installed with another manifest, or before a scope was added.",
        "`throughline doctor` names the scope. Add it under OAuth & Permissions, then press Reinstall to Workspace.",
        [];
    SLACK_BLOCKS = 3303, "slack.blocks", None, "Slack takes no card of this size",
        "A card was refused for its length. It was posted once more with less detail; *Show all* has everything.",
        "Slack's limit for a message's whole text is not documented and lower where there are many parts.",
        "Nothing; if it happens often, please report it with the version of both sides.",
        [];
    SLACK_SIGNATURE = 3304, "slack.signature", Some(401), "The signature of a delivery is missing, too old or wrong",
        "A request to one of Slack's endpoints was not signed with our secret within five minutes. Nothing was recorded.",
        "Only Slack and we know the secret. It was replaced over there only, the clock is wrong, or it is not Slack who calls.",
        "Copy the signing secret from Basic Information; while you replace it, keep the one before on a second line.",
        ["slack.signing_secret_file"];
    SLACK_SOCKET = 3305, "slack.socket", None, "No socket to Slack can be opened",
        "Deliveries cannot come. Slack keeps what is not acknowledged for a while and sends it when a socket is open.",
        "Socket Mode is turned off, the app-level token was revoked or lacks connections:write, or Slack is out of reach.",
        "`throughline doctor slack` names the reason. It is tried again by itself.",
        ["slack.app_token_file"];
    SLACK_NOT_INSTALLED = 3306, "slack.not_installed", Some(409), "The Slack app was not installed in the workspace",
        "Somebody came back from Slack, and no token for their workspace was kept. Nothing was changed.",
        "They did not agree, the code was used or took too long, or their workspace is not among `slack.workspaces`.",
        "Begin again at /slack/install. If it stays so, compare client id and secret with Basic Information.",
        ["slack.client_id", "slack.client_secret_file", "slack.workspaces"];

    MAIL_UNREACHABLE = 3401, "mail.unreachable", None, "The mail server takes nothing",
        "No connection to the mail server came about, or it did not let us in or take our sender. All mail waits; nothing of it is given up.",
        "The server is down or elsewhere, its certificate is not trusted, or it knows another password or another sender.",
        "Run `throughline doctor mail`, which tries each step and says which fails. What waits is sent when it works again.",
        ["mail.server", "mail.port", "mail.tls", "mail.user", "mail.password_file", "mail.from"];
    MAIL_REFUSED = 3402, "mail.refused", None, "A mail was refused",
        "The mail server refused one mail for good, or put it off ten times. It is not sent again; the page of the approval says so.",
        "The address does not exist, or the server takes no mail of this content for it.",
        "Correct the person's `email`. They find what waits for them in the console, under Approvals.",
        ["users"];
    PUSH_LATER = 3403, "push.later", None, "A push service does not take a notification now",
        "No connection to it came about, or it answered 429 or 5xx. The notification waits, as long as the approval does, and is tried again; others go on.",
        "The service of that browser's vendor is down or has too much to do, or this machine does not get out to it.",
        "Nothing, if it passes. If it stays so, let this machine make https connections to the push services that docs/notifications.md names.",
        ["push.contact"];
    PUSH_REFUSED = 3404, "push.refused", None, "A notification was refused",
        "The push service refused one notification for good. It is not sent again; what waits is in the console, under Approvals.",
        "The device subscribed for another key, as after a new instance key, or the service does not take `push.contact`.",
        "Open the chat on that device: it subscribes again. If each one is refused, correct `push.contact`.",
        ["push.contact"];
    PRESS_UNKNOWN = 4101, "press.unknown", Some(404), "The button is not known here",
        "A press carried a token that leads nowhere in this conversation. Nothing was done.",
        "The token was changed, belongs to another conversation, or its card is long gone.",
        "Press a button of a card that is open in this conversation.",
        [];
    PRESS_CONSUMED = 4102, "press.consumed", Some(409), "It had already been decided",
        "The card was decided before; `detail` says by whom, when, and what came of it. Nothing was done again.",
        "A decision is taken once, also when two people press at the same moment.",
        "Nothing: look at the card, which shows the result.",
        [];
    NO_POLICY = 4103, "press.no_policy", Some(403), "Nobody is set up to approve this",
        "No approver rule covers this effect and target, so nobody may approve it. Nothing was done.",
        "Approval fails closed: who may approve is said explicitly or not at all.",
        "Add an `[[approvers]]` rule that names the effects, the targets and who is allowed.",
        ["approvers"];
    STALE_VERSION = 4104, "stale.version", Some(409), "This preview is outdated",
        "The press belongs to an earlier version of the card. Nothing was done.",
        "The request was edited after that card was shown, and only what was shown may run.",
        "Look at the current version and decide on that one.",
        [];
    STALE_STEP = 4105, "stale.step", Some(409), "This action is no longer available",
        "The card is at a step that does not allow the action, or something has to be confirmed or checked first. Nothing was done.",
        "Each step allows the actions of its own buttons.",
        "Use one of the card's current buttons.",
        [];
    PRESS_EXPIRED = 4106, "press.expired", Some(410), "The request has expired",
        "The card could be decided until a moment that has passed. Nothing was done.",
        "What was approved long after it was shown might no longer be what is wanted.",
        "Start the request again.",
        ["policy.approval.max_age_ms"];
    TAMPERED = 4107, "press.tampered", Some(409), "The stored request is not what was shown",
        "The stored payload does not hash to what the card showed. Nothing was done, and the log has an alarm.",
        "Somebody or something changed the database outside Throughline.",
        "Find out who writes to the database (`throughline audit verify`), then start the request again.",
        [];
    FORBIDDEN = 4108, "press.forbidden", Some(403), "This person may not approve this",
        "The actor is not named by an approver rule that covers this, or may not approve their own request. Nothing was done.",
        "Rules name people, roles and groups; the rules in force at the press decide.",
        "Ask one of those `detail` names, or change the `[[approvers]]` rules.",
        ["approvers", "users"];
    PAUSED = 4109, "effects.paused", Some(423), "Sending is paused",
        "The kill switch is on, so nothing that leaves the conversation may be released. Nothing was approved.",
        "An operator paused it; GET /v1/pause says who, when and why.",
        "Wait, or resume with PUT /v1/pause or `throughline effects resume`.",
        [];
    NOT_HOSTED = 4201, "effect.not_hosted", Some(409), "This effect is not the host's to report",
        "A result was posted for an effect that Throughline performs itself. Nothing was changed.",
        "Only effects offered with `delivery: host` are reported by the host.",
        "List the class in `api.delivery_host` if your host is to perform it.",
        ["api.delivery_host"];
    ALREADY_SETTLED = 4202, "effect.already_settled", Some(409), "The effect has another result already",
        "A result was posted for an effect that had ended with a different one. The first one stands.",
        "An effect settles once.",
        "Read the effect: GET /v1/effects/{id}.",
        [];
    NOT_UNCERTAIN = 4203, "effect.not_uncertain", Some(409), "There is nothing to resolve about this effect",
        "The effect is not uncertain, or its question has been answered already. Nothing was changed.",
        "Only an effect of which nobody knows whether it happened can be resolved by a person, and once.",
        "Read the effect: GET /v1/effects/{id}. GET /v1/effects?state=uncertain lists what is open.",
        [];

    MODEL_MISCONFIGURED = 5101, "model.misconfigured", None, "The model's configuration cannot work",
        "A model is configured in a way that no request could succeed with. Nothing was started.",
        "Its provider or its name is missing, its address is not public https, or the file of its key cannot be used.",
        "Correct what the message names; docs/models.md has an example for each provider. `throughline doctor model` asks \
         it something. `kind = \"off\"` runs without one.",
        ["models.default", "models.classify", "models.draft", "models.review", "models.answer"];
    TRACKER_MISCONFIGURED = 5201, "tracker.misconfigured", None, "A tracker's configuration cannot work",
        "A tracker is configured in a way that no issue could be created with. Nothing was started.",
        "Its address, its account or the file of its token is missing or cannot be used, or a project has a setting of the \
         wrong form.",
        "Correct what the message names; docs/jira.md, docs/github.md, docs/linear.md and docs/redmine.md have examples. \
         `throughline doctor tracker` asks it.",
        ["jira", "github", "linear", "redmine", "projects"];
    TRACKER_SIGNATURE = 5202, "tracker.signature", Some(401), "The signature of a tracker's delivery is missing or wrong",
        "A request to the webhook of a tracker was not signed with its secret. Nothing was recorded.",
        "Only the tracker and we know the secret. It was replaced on one side only, or it is not the tracker that calls.",
        "Write the same secret into the tracker's webhook and into the file; docs/jira.md and docs/github.md have the clicks.",
        ["jira", "github"];
    TRACKER_NOT_CONNECTED = 5203, "tracker.not_connected", Some(409), "The app of a tracker is not connected",
        "Nobody granted the app what it needs in the tracker, or the grant is taken no more. Nothing is sent there.",
        "Whoever was asked did not agree, agreed for another site, took the consent back, or it was not used for months.",
        "As an administrator, open /console/trackers and connect it. If it stays so, compare client id and secret with the app's.",
        ["jira.NAME.client_id", "jira.NAME.client_secret_file", "server.public_url"];
    TOOL_CHANGED = 5301, "tool.changed", None, "A tool's definition changed",
        "A tool or a sub-agent says something else of itself than when it was pinned, or was never pinned. It is off; others work.",
        "What a tool says it does, and what it takes, is what somebody looked at before it was allowed.",
        "Read what it says now with `throughline tools list`, then allow it with `throughline tools pin`.",
        ["mcp", "tools", "agents"];
    TOOL_MISCONFIGURED = 5302, "tool.misconfigured", None, "A tool's configuration cannot work",
        "A tool, an MCP server or a sub-agent is configured in a way that no call could succeed with. Nothing was started.",
        "Its server is not defined, is neither a command nor a url, its address is not public https, or the file of its token \
         cannot be used.",
        "Correct what the message names; docs/tools.md has an example of each. `throughline doctor tools` asks all of them.",
        ["mcp", "tools", "agents"];
    TOOL_UNCONNECTED = 5303, "tool.unconnected", None, "A tool server is not connected",
        "Nobody granted a token for a tool server, or the grant has ended. Its tools are called again once somebody connects it.",
        "The server takes tokens of OAuth (`mcp.NAME.oauth`), and whoever agrees to one did not, took it back, or it was not used for too long.",
        "Run `throughline tools connect NAME` with the server's name, and open the address it prints.",
        ["mcp.NAME.oauth"];

    WEBHOOK_MISCONFIGURED = 5401, "webhook.misconfigured", None, "A webhook's configuration cannot work",
        "A webhook is configured in a way that no event could be sent with. Nothing was started.",
        "Its name is none or is there twice, its address is not public https, or the file of its secret is missing or cannot \
         be used.",
        "Correct what the message names; docs/webhooks.md has an example. `throughline doctor` looks at all of them.",
        ["webhooks"];

    SQLITE_TOO_OLD = 6101, "sqlite.too_old", None, "The SQLite library is too old",
        "The linked SQLite library is older than 3.51.3. Nothing was started.",
        "Older versions have a defect that can damage a database in WAL mode.",
        "Use the bundled library (the default build), or link a newer one.",
        ["store.url"];
    STORE_IN_USE = 6102, "store.in_use", None, "Another process is using the database",
        "The database file, or the lock file beside it, is held by another process. Nothing was started.",
        "One process owns an SQLite file: two would not see each other's lanes.",
        "Stop the other process, talk to it with --server, or give this one another `store.url`.",
        ["store.url"];
    STORE_OPEN = 6103, "store.cannot_open", None, "The database cannot be opened",
        "The database could not be opened or is not one of ours. Nothing was started.",
        "The folder is missing or not writable, the file is damaged, the server cannot be reached, or a newer version wrote it.",
        "Check the path of `store.url` and its permissions; `throughline doctor` looks closer.",
        ["store.url"];
    STORE_REPLICA = 6104, "store.replica", Some(503), "The database server is a read-only replica",
        "The configured server is a replica, or is set to be read-only. Nothing is accepted, and nothing is decided.",
        "Decisions are never read from a replica: what it shows may be behind.",
        "Point `store.url` at the primary, or name all servers in it: the one that takes writes is used.",
        ["store.url"];
    STORE_HARD_LINKED = 6105, "store.hard_linked", None, "The database file has several names",
        "Hard links give the database file more than one name. Nothing was started.",
        "SQLite keeps a log beside the name that was opened: two names have two logs, which damages the database.",
        "Remove the other names (`find -samefile`), or copy the file and use the copy.",
        ["store.url"];
    STORE_TAKEN_OVER = 6106, "store.taken_over", Some(503), "Another process has taken the database over",
        "Another process opened the database while this one ran. This one writes nothing more, and stops.",
        "One process owns an SQLite file. Where the system cannot keep a second one out, the later one is the owner: each write compares the session in the file.",
        "Find out which other process has the file, and keep one of them. What was accepted gets its turn from the owner.",
        ["store.url"];
    STORE_MOVED = 6107, "store.moved", Some(503), "The database file is not in its place any more",
        "The path of the database leads to no file, or to another one than was opened. Nothing is accepted until it is back.",
        "The file was removed, renamed, or another one was put in its place while the process ran. What would be written now could be lost.",
        "Put the file back: it goes on by itself. To restore a backup, stop the process first, put the backup in place without the old files PATH-wal and PATH-shm, and start it.",
        ["store.url"];
    READ_ONLY = 6201, "store.read_only", Some(503), "The store takes no writes just now",
        "The disk is full or the database is read-only. Nothing was recorded, so nothing was acknowledged.",
        "An event is acknowledged only when it is durable.",
        "Free space, or make the file writable; it goes on by itself within seconds. Then send the request again.",
        ["store.url"];
    STORE_UNAVAILABLE = 6202, "store.unavailable", Some(503), "The store did not answer",
        "The store could not do its part. It is not known to have recorded anything.",
        "The database is busy, broken or gone; the log has what it said.",
        "Send the request again with the same Idempotency-Key: it cannot be handled twice.",
        ["store.url"];
    UNREADABLE = 6203, "store.unreadable", Some(503), "Something stored cannot be read",
        "A stored value is not one that this version can read. Nothing was changed.",
        "A newer version wrote it, or it was damaged.",
        "Run the version that wrote it, or restore a backup.",
        ["store.url"];
    EVENTS_WAIT = 6204, "store.events_wait", Some(503), "Accepted events wait too long",
        "An event that was accepted has waited more than ten minutes for its turn.",
        "Its lane fails, or the process cannot keep up, or it was down and catches up.",
        "Look in the log for the lane that fails. If there is none, wait until it has caught up; if it stays, restart the process, which repairs what it can.",
        ["store.url"];
    EFFECTS_FAR = 6205, "store.effects_far", Some(503), "Effects are planned too far ahead",
        "Effects wait for an attempt that is more than two hours ahead, which no rule plans.",
        "The clock was ahead when they were planned, and was corrected since.",
        "Check the clock (`timedatectl`) and restart the process: a start plans them for now.",
        ["store.url"];
    LANES_FAIL = 6206, "lane.fails", Some(503), "A lane fails again and again",
        "Running a lane has failed at least three times in a row. Its events wait; none of them is lost.",
        "What is stored of it cannot be read or written, or the database was damaged.",
        "The log names the error, with its code. Restart the process, which repairs what it can; else restore a backup.",
        ["store.url"];
    SYNC_FAILED = 6207, "store.sync_failed", None, "The database could not be synced to disk",
        "The disk reported that it had not kept what was written. The process stopped at once; nothing was acknowledged after that.",
        "After a failed sync nobody knows what is on the disk, and the next sync may wrongly succeed. Only a new start reads what is there.",
        "Look at the disk (`dmesg`, its health), and start again: what was accepted is handled then. Send what got no answer again.",
        ["store.url"];
}
