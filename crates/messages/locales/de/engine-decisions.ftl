### Festgehaltene Entscheidungen, und die Vorgänge, die ein Thread verfolgt.

decision-a-decision = eine Entscheidung festhalten
decision-what = Was wurde entschieden? Ein oder zwei Sätze; wenn es einen Grund gibt, nenne ihn mit „weil“.
decision-edit-how = Was soll anders werden? Schreib die Entscheidung neu, oder Zeilen wie „Thema: …“, „Entscheidung: …“, „Grund: …“, „Vorgänge: …“.
decision-field = { $field ->
    [topic] Thema
    [decision] Entscheidung
    [why] Grund
   *[issues] Vorgänge
}
decision-thread = Thread { $lane }
decision-on = Entscheidung zu { $topic }
decision-discussed-in = Besprochen in { $thread }
decision-decided-by = Entschieden von @{ $who } am { $day }.{ $month }.{ $year } um { $clock } UTC
decision-posted-at = Veröffentlicht unter { $url }
decision-posts-at = kommt als neue Nachricht in diesen Kanal
decision-discussed = besprochen in { $thread }

decision-post = Diese Entscheidung zu { $topic } veröffentlichen?
decision-expired = Ohne Freigabe abgelaufen: die Entscheidung zu { $topic }
decision-cancelled = Abgebrochen: die Entscheidung zu { $topic }
decision-posted = Veröffentlicht: die Entscheidung zu { $topic } · { $decided }
decision-refused = Nicht veröffentlicht: { $why } · { $decided }
decision-unknown = Noch keine Antwort; vielleicht ist sie veröffentlicht, vielleicht nicht · { $decided }
decision-not-posted = Nicht veröffentlicht: die Entscheidung zu { $topic } · { $decided }

decision-comment-failed = nicht kommentiert: { $issues }, { $why }
decision-comment-offered = als Kommentar möglich an { $issues }
decision-hash = Hash { $hash }
decision-commented = { $issue } kommentiert von @{ $who }, { $at }
decision-comment-unknown = noch keine Antwort; vielleicht hat { $issue } den Kommentar, vielleicht nicht
decision-commenting = { $issue } wird kommentiert … (gedrückt von @{ $who })
decision-the-decision = die Entscheidung zu { $topic }
decision-the-comment = der Kommentar zu { $issue }
decision-uncertain-decided = { $what }: { $done } von @{ $who }
decision-uncertain-there = ist da
decision-uncertain-refused = abgelehnt
decision-uncertain-no-answer = wieder keine Antwort
decision-uncertain-running = in Arbeit
decision-sent-after-all = { $what }: wurde doch gesendet
decision-uncertain-open = Es kam keine Antwort: { $what } ist vielleicht da, vielleicht nicht. Sieh nach, und sag es dann. Von selbst wird nichts noch einmal gesendet.
decision-which-issue = Welcher Vorgang soll den Kommentar bekommen: { $keys }?
decision-press-comment = Also { $key }. Drücke bitte „{ $label }“ auf der Karte.
decision-field-needs = { $label } braucht 1 bis { $most } Zeichen. Nichts wurde geändert.
decision-field-takes = { $label } fasst höchstens { $most } Zeichen. Nichts wurde geändert.
# Was ein Knopf tut, für einen Screenreader.
decision-button-posts = { $verb }: die Entscheidung zu { $topic } in { $target } veröffentlichen, Version { $version }

## Verfolgte Vorgänge

tracked-which-key = Welcher Vorgang? Schreib seinen Schlüssel: { $command } { $word } AUTH-1.
tracked-now = Dieser Thread verfolgt jetzt { $key }: { $title }
tracked-already = Dieser Thread verfolgt { $key } schon.
tracked-not = { $key } wird nicht verfolgt: { $why }
tracked-no-such = der Tracker kennt ihn nicht
tracked-no-longer = { $key } wird nicht mehr verfolgt.
tracked-was-not = { $key } wurde hier nicht verfolgt.
tracked-none = Dieser Thread verfolgt keinen Vorgang. { $command } track KEY fügt einen hinzu.
tracked-list = Dieser Thread verfolgt:
