### Prüfungen.

review-no-model = Checkliste ohne Modell: nur was dieser Thread sagt
review-no-model-full = Checkliste ohne Modell: nur was dieser Thread sagt
review-nothing-stated = nichts gesagt
review-writing = Ich schreibe sie ganz auf …
review-nothing-new = Darin ist nichts, was die Prüfung nicht schon hat; sie bleibt, wie sie ist.
review-forgotten = Die Prüfung ist vergessen.
review-nothing-to-forget = Hier gibt es keine Prüfung zu vergessen.
review-over-before = Die Prüfung war vorbei, bevor ich darauf eine Antwort hatte; sie bleibt, wie sie ist.
review-gone = Diese Prüfung wurde vergessen
review-handed-already = Schon erledigt: Aus dieser Prüfung werden gerade Tickets. Schließ die zuerst ab, oder brich sie ab.
review-this-thread = dieser Thread
review-reply-to-use = antworte hierauf, um Tickets daraus zu machen
review-summary = Zusammenfassung
review-checklist = Checkliste
review-earlier = + { $n } frühere unter Alles zeigen
review-more = + { $n } weitere unter Alles zeigen

review-kind = { $kind ->
    [architecture] Architekturprüfung
    [security] Sicherheitsprüfung
   *[pm] Produktprüfung
}
review-section = { $section ->
    [decisions] Entscheidungen
    [risks] Risiken
    [questions] Offene Fragen
   *[changes] Änderungen
}
review-new-section = { $section ->
    [decisions] Neue Entscheidungen
    [risks] Neue Risiken
    [questions] Neue offene Fragen
   *[changes] Änderungen seit v{ $version }
}
review-title = { $kind }: { $topic }
review-title-frozen = { $kind }: { $topic } · abgeschlossen bei v{ $version }
review-title-superseded = { $kind }: { $topic } · abgeschlossen bei v{ $version }, eine neuere Prüfung folgte
review-ended-by = vollständig, sagt @{ $by }
review-ended-idle = { $hours } h ohne Antwort, darum abgeschlossen
review-ended-handed-over = Tickets wurden daraus gemacht
review-ended-decided = ihre Entscheidung wurde übernommen
review-in-full = { $kind }: { $topic } · v{ $version }, vollständig
review-after = v{ $version }, nach @{ $by }
review-full-up = Diese Prüfung hat { $version } Versionen, mehr darf eine nicht haben. Beginne bitte eine neue über das, was noch offen ist.
review-complete = Die Prüfung von „{ $topic }“ ist vollständig und bleibt bei v{ $version }. Tickets lassen sich jederzeit daraus machen: Sag „erstelle das Epic dazu“, oder drücke ihren Knopf.
review-known = { $topic } wurde schon geprüft; die Prüfung wurde bei v{ $version } abgeschlossen ({ $at }). Eine neue beginne ich nur, wenn du es willst: Sag „prüf das“.
