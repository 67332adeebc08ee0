### Unklare Nachrichten: die Frage, was mit einer geschehen soll, und der Modus, den ein Thread sich merkt.

gate-question = Was soll ich damit tun?
gate-dismissed = Gut, ich lasse es
gate-superseded = Eine neuere Frage ist an die Stelle von dieser getreten
gate-expired = Niemand hat rechtzeitig gewählt, darum habe ich es gelassen
gate-which = Was soll es werden? Sag „Prüfen“, „Ticket anlegen“ oder „Nicht jetzt“.
gate-spared = Ich weiß nicht recht, was ich mit „{ $said }“ tun soll. Sag „leg dafür ein Ticket an“ oder „prüf das“, wenn etwas daraus werden soll; „Hilfe“ sagt mehr.
gate-chosen = { $label }, gewählt von @{ $by }

remembered-forgotten = Vergessen: Bei unklaren Nachrichten frage ich wieder nach.
remembered-nothing = Dieser Thread hat sich keinen Modus gemerkt.
remembered-no-choice = Hier gibt es keine Auswahl, die ich mir merken könnte. Wähl zuerst, was ich mit einer Nachricht tun soll.
remembered-used = Für diesen Thread gemerkt: { $label }
remembered-used-up = Für diesen Thread gemerkt: { $label }. Das gilt jetzt nicht mehr, weil die Prüfung davor vorbei ist: Bei unklaren Nachrichten frage ich wieder nach.
remembered-open = Dieser Thread hat sich gemerkt, was mit unklaren Nachrichten geschieht
remembered-cleared-by = Dieser Thread hat keinen gemerkten Modus mehr, gelöscht von @{ $by }
remembered-over = Dieser Thread hat keinen gemerkten Modus mehr
