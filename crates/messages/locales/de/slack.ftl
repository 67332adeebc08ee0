### Was der Slack-Kanal von sich aus sagt: eigene Knöpfe, Formulare, Startseite.

slack-show-all = Alles zeigen
slack-change-item = Einen Eintrag ändern …
slack-shortened = Gekürzt gezeigt: { $chars } Zeichen insgesamt. „Alles zeigen“ hat jedes davon.
slack-more-items = … und { $n } weitere
slack-whole-title = Vollständig
slack-whole-as-file = Der ganze Text ist zu lang für ein Fenster. Er steht als Datei im Thread.
slack-no-file = Der Rest ist zu lang für ein Fenster, und die App darf keine Dateien hochladen (files:write).
slack-save = Speichern
slack-close = Schließen
slack-press-again = Bitte den Knopf noch einmal drücken: das Formular ging nicht rechtzeitig auf.
slack-outdated-title = Nicht gespeichert
slack-outdated = Inzwischen wurde das geändert oder entschieden, dein Formular wurde nicht gespeichert. Was du getippt hast, steht hier zum Kopieren.
slack-field-too-long = Höchstens { $most } Zeichen.
slack-thinking = denkt nach …
slack-home-title = Wartet auf dich
slack-home-nothing = Nichts wartet auf dich.
slack-home-modes = Für Threads gemerkt
slack-home-threads = Deine Threads
slack-home-open = Öffnen
slack-home-clear = Vergessen
slack-home-help = Erwähne mich in einem Kanal oder schreib mir eine Nachricht. „{ $command } help“ zählt auf, was ich verstehe.
slack-suggest-ticket = Erstelle ein Ticket für den Login-Fehler
slack-suggest-review = Was hältst du von Microservices?
slack-suggest-open = Was ist offen?
slack-suggest-title = Du könntest fragen
