### Was in einem Thread im Gang ist: Fragen, die offen bleiben, Stopps, und Listen von dem, was wartet.

question-of-part = { $label }?
question-remark = Ich habe gefragt: „{ $question }“ Antworte mit eigenen Worten, oder sag „abbrechen“, um es fallen zu lassen.
question-later = Gut, keine Eile. Noch offen: „{ $question }“ Antworte, wenn du so weit bist, oder sag „abbrechen“, um es fallen zu lassen.
question-in-words = Das brauche ich in Worten: „{ $question }“
question-still-open = Noch offen: „{ $question }“
question-put-aside = Vorerst beiseitegelegt: „{ $question }“
question-waits = Frage: „{ $question }“
question-back-to = Zurück zu: „{ $question }“

## Stopps

stop-nothing = Hier läuft nichts, und nichts wartet.
stop-nothing-to-start-over = Hier wartet nichts. Was möchtest du tun?
stop-stopped = Angehalten. Offene Karten bleiben, wo sie sind.
stop-started-over = Angehalten; offene Karten bleiben, wo sie sind. Was möchtest du tun?
stop-nothing-stopped = Nichts wurde angehalten.
stop-may-still-happen = Was schon gesendet ist, lässt sich nicht anhalten und kann noch geschehen; was daraus wird, steht dann hier.
stop-what-now = Was möchtest du tun?
stop-called-off = angehalten, bevor es gesendet wurde
stop-ended = Beendet: { $what }.
stop-left-to-others = Bleibt bei anderen: { $what }.
stop-open-cards = Deine offenen Karten: { $titles }. Sag „schließ die Karten“, um sie zu schließen.
stop-still-here = Noch im Gang: { $what }.

## Stand, und was wartet

state-asking = ein Modell wird gefragt
state-running = { $n } laufend
state-sent = { $n } schon gesendet
state-waiting = { $n } wartend
state-uncertain = { $n } ohne Antwort
state-paused = Senden angehalten
state-remembered = gemerkter Modus: { $intent ->
    [ticket] Ticket
    [review] Prüfung
    [discussion] Gespräch
    [meta] Auskunft
    [ambiguous] unklar
   *[none] keiner
}
state-here = In diesem Thread: { $what }
state-nothing-waits = Hier wartet nichts.
state-besides = Daneben: { $what }.
state-card = Karte: { $title }

task-status = { $status ->
    [queued] in der Warteschlange
    [running] läuft
    [completed] fertig
    [blocked] blockiert
    [failed] fehlgeschlagen
    [cancelled] abgebrochen
    [waiting] wartet
   *[resting] ruht
}
task-status-with = { $status }, bei { $name }
task-line = { $status }: „{ $intent }“

pending-whole-number = { $text } ist keine ganze Zahl, und eine solche wird gebraucht. { $question }
pending-line = { $kind ->
    [slot_request] Frage nach einer Angabe
    [clarification_needed] Rückfrage
    [tool_retry_offer] Angebot, es noch einmal zu versuchen
    [delegation_offer] Angebot, es zu übergeben
    [waiting_story_edit] Änderung eines Eintrags
    [waiting_decision_edit] Änderung einer Entscheidung
    [waiting_approval] wartet auf Freigabe
    [waiting_scope_choice] wartet auf eine Wahl
    [waiting_quantity_confirm] wartet auf Bestätigung der Anzahl
    [waiting_size_confirm] wartet auf Bestätigung der Länge
   *[waiting_uncertain_effect] wartet auf Klärung, ob es geschah
}
pending-expects = erwartet { $what }
pending-until = bis { $at }
