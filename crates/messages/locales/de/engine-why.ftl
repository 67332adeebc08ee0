### Die Erklärung eines Schritts, für alle, die fragen, warum: `/maro why`. Kürzel in Klammern sind in jeder Sprache gleich.

why-turn = Schritt { $turn } ({ $at }): { $event }
why-decided = Entschieden auf Stufe { $number }, { $rung }: { $says } ({ $code })
why-outcome = Ergebnis: { $outcome ->
    [ignored] nicht beachtet
    [observed] aufgehoben, nicht beantwortet
    [recorded] festgehalten
    [answered] beantwortet
    [asked] eine Frage gestellt
    [shown] eine Karte gezeigt
    [done] getan
    [refused] abgelehnt, und das gesagt
    [handed_over] dem Agenten des Hosts übergeben, der antwortet
   *[deferred] ein Modell oder einen Tracker gefragt; der Schritt der Antwort entscheidet
}
why-intent = Absicht: { $intent ->
    [ticket] Ticket
    [review] Prüfung
    [discussion] Gespräch
    [meta] Auskunft
   *[ambiguous] unklar
}
why-rule = Erkannt an: { $rule }
why-applied = Als Antwort genommen auf { $pending }
why-also = Außerdem: { $says } ({ $code })
why-focus = Im Blick: { $anchor } ({ $source })
why-focus-nothing = Im Blick: nichts ({ $source })
why-reference-bound = Bezug: Der Text verweist auf nichts außerhalb ({ $code }: { $words })
why-reference-needs = Bezug: Der Text braucht es ({ $code }: { $words })
why-thread-answers = Faden: antwortet auf { $message }
why-thread-anew = Faden: beginnt etwas Neues
why-passed = Stufen, die nicht entschieden haben:
why-effect = Geplant: { $class } { $id }
why-policy = Version der Regeln: { $version }

why-rung = { $rung ->
    [duplicate] Doppelte Zustellung
    [addressing] Nicht an uns
    [workflow] Knopf, Formular oder Befehl
    [settled] Ergebnis, Frist oder Ereignis der Anwendung
    [focus] Blick
    [interrupt] Stopp
    [pending] Offene Frage
    [selection] Auswahl
    [review] Laufende Prüfung
    [intent] Absicht
    [remembered] Gemerkte Absicht
   *[gate] Rückfrage
}

## Was eine Stufe fand, die nicht entschieden hat

passed-not-a-message = keine Nachricht
passed-to-us = an uns gerichtet
passed-no-workflow = kein Knopf, Formular oder Befehl
passed-a-message = eine Nachricht
passed-no-focus = keine Nachricht
passed-focus-alone = entscheidet nie allein
passed-not-a-stop = die ganze Nachricht ist kein Stopp
passed-nothing-waits = nichts wartet auf Worte
passed-no-options = niemandem wurde eine Liste gezeigt, von der die Nachricht handeln könnte
passed-selection-off = Texte werden hier nicht gegen Listen gelesen
passed-not-an-option = die Nachricht ist keiner der gezeigten Punkte
passed-selection-question = die Nachricht fragt etwas zu den gezeigten Punkten
passed-selection-verify = die Nachricht fragt, was mit den gezeigten Punkten getan wurde
passed-option-taken = die Nachricht begann oder endete mit einem Punkt, der gewählt wurde; der Rest geht weiter
passed-selection-command = die Nachricht ist ein Befehl der Anwendung
passed-selection-released = ein Modell fand, dass die Nachricht von etwas anderem handelt als von den gezeigten Punkten
passed-no-review = keine Prüfung läuft
passed-review-not-focus = im Blick ist nicht die laufende Prüfung
passed-review-over = die Prüfung blieb zu lange ohne Antwort, darum ist sie abgeschlossen
passed-other-intent = die Nachricht sagt ausdrücklich, dass sie etwas anderes will
passed-no-rule = keine Regel spricht, und kein Modell darf gefragt werden
passed-asked-already = keine Regel spricht, und ein Modell wird schon gefragt
passed-no-answer = das Modell hat keine brauchbare Antwort gegeben
passed-nothing-remembered = der Thread hat sich nichts gemerkt
passed-focus-source = entscheidet nie allein ({ $source })
