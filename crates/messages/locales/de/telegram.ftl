### Was der Kanal Telegram selbst sagt: lange Karten, Fragen, das Menü der Befehle.

telegram-whole-text = Der ganze Text steht in { $messages ->
    [one] der Nachricht darüber
   *[other] den { $messages } Nachrichten darüber
}: { $count } Zeichen.
telegram-your-answer = Deine Antwort
telegram-menu-help = Was ich kann
telegram-menu-ticket = Ein Ticket entwerfen: /ticket die Anmeldung geht nicht
telegram-menu-status = Was hier gerade läuft
telegram-menu-pending = Was auf eine Antwort oder einen Knopf wartet
telegram-menu-why = Warum ich zuletzt getan habe, was ich tat
telegram-menu-forget = Vergessen, was dieser Chat sich merkt
telegram-menu-stop = Anhalten, was läuft
