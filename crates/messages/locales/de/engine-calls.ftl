### Aufrufe von Werkzeugen und Unteragenten, und was diese sagen.

call-which-agent = Welcher Unteragent soll es tun: { $agents }?
call-no-agents = Ich kann das nicht an „{ $name }“ übergeben: Hier sind keine Unteragenten eingerichtet.
call-no-such-agent = Ich kann das nicht an „{ $name }“ übergeben: Die Unteragenten hier sind { $known }.
call-nothing-to-hand-over = Hier gibt es nichts zu übergeben. Antworte auf das, was du meinst, oder sag, was es ist.
call-ask-argument = Was ist „{ $name }“ für { $tool }?
call-handing = Ich übergebe „{ $intent }“ an { $name }.
call-calling = Ich rufe { $name } auf.
call-is-done = { $name } ist fertig.
call-goes-on = { $name } macht weiter:
call-asks = { $name } fragt:
call-asks-back = { $name } fragt zurück.
call-passing-on = Ich gebe das an { $name } weiter.
call-stopped = { $name } hat aufgehört.
call-stopped-why = { $name } hat aufgehört:
call-could-not = { $name } hat es nicht getan: { $why }
call-no-answer = { $name } hat nicht geantwortet. Nichts wurde geändert.
call-again = { $name } hat nicht geantwortet. Soll ich es noch einmal versuchen?
call-hand-over-again = { $name } hat nicht geantwortet. Soll ich es noch einmal übergeben?
call-maybe-done = { $name } hat nicht geantwortet; vielleicht ist es getan, vielleicht nicht. Von selbst wird es nicht noch einmal gesendet.
call-not-set-up = { $name } ist hier nicht eingerichtet. Nichts wurde gesendet.
call-too-long = Das ist zu lang, um es { $name } mit allem zu übergeben, was dazu nötig ist. Nichts wurde gesendet; sag es in weniger Worten.
call-left = Gut, ich lasse es.

call-hand-to = An { $name } übergeben
call-call = { $name } aufrufen
call-title = { $what }?
call-decided = { $what } · { $decided }
call-came-of-done = erledigt
call-came-of-refused = nicht getan: { $why }
call-came-of-unknown = keine Antwort; vielleicht ist es getan, vielleicht nicht
call-came-of-dropped = fallen gelassen
call-came-of-stopped = angehalten
call-unanswered-decided = Keine Antwort von { $name }: { $done } von @{ $who }
call-answered-after-all = { $name } hat doch geantwortet
call-task = Aufgabe

# Vorhaben des Hosts selbst.
act-done = „{ $title }“ ist getan.
act-failed = „{ $title }“ wurde nicht getan: { $why }
act-target-field = betrifft
act-details-field = Einzelheiten
act-payload-field = Inhalt
act-maybe-done = Niemand hat gemeldet, was aus „{ $title }“ wurde; vielleicht ist es getan, vielleicht nicht. Von selbst wird es nicht noch einmal getan.
act-unreported-decided = Keine Meldung zu „{ $title }“: { $done } von @{ $who }
act-reported-after-all = „{ $title }“ wurde doch gemeldet
