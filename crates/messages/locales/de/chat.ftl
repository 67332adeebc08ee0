### Das Gespräch im Web-Chat: Kopieren, Zeiten, das Eingabefeld, und was geschieht.

script-copy = Kopieren
script-copied = Kopiert
script-not-copied = Das ließ sich nicht kopieren.
script-copy-text = Text kopieren
script-copy-link = Link kopieren
script-table = Tabelle
script-utc = { $clock } UTC

## Das Eingabefeld

script-commands = Befehle
script-command-help = was du hier sagen kannst
script-command-status = was hier geschieht
script-command-pending = was auf eine Antwort oder Entscheidung wartet
script-command-why = warum der letzte Schritt so entschieden wurde
script-command-forget = den gemerkten Modus vergessen
script-command-stop = anhalten, was läuft
script-command-ticket = aus einem Text ein Ticket machen
script-command-review = einen Text prüfen
script-command-track = einem Issue hier folgen
script-command-untrack = einem Issue nicht mehr folgen
script-command-tracked = die Issues, denen hier gefolgt wird
script-edit = Ändern
script-editing = Du änderst
script-edited = geändert
script-no-edit = So lassen, wie es war

## Was geschieht

script-at-work = { $name } arbeitet…
script-at-tracker = Der Tracker wird gefragt…
script-at-host = Der Assistent arbeitet…
script-stop = Anhalten
