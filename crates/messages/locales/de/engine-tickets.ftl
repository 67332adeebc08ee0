### Tickets: Vorschauen, Fragen nach Lücken, Änderungen, und was aus ihnen wurde.

ticket-create = { $what } anlegen?
ticket-superseded = Eine neuere Vorschau ist an die Stelle von dieser getreten: { $what }
ticket-created = { $key } angelegt · gewünscht von @{ $by } · { $decided }
ticket-unknown = Noch keine Antwort; vielleicht gibt es ihn, vielleicht nicht · { $decided }
ticket-refused = Nicht angelegt: { $why } · { $decided }
ticket-not-created = Nicht angelegt · { $decided }
ticket-became = { $key } „{ $title }“ wurde hier angelegt: gewünscht von @{ $asked }, freigegeben von @{ $approved } ({ $at }).

ticket-ask-title = Worum soll es in dem Ticket gehen? Eine Zeile genügt; sie wird der Titel.
ticket-ask-part = { $part }? Antworte hier; „überspringen“ lässt es offen.
ticket-ask-parts = { $first }? Außerdem offen: { $rest }. Antworte hier, schreib Zeilen wie „{ $first }: …“, oder lass mit „überspringen“ eins offen und mit „Rest überspringen“ alle.
ticket-parked = Der Entwurf „{ $title }“ bleibt offen. Mit seiner Karte oder einer Zeile wie „{ $label }: …“ geht es weiter.
ticket-parked-untitled = Der Entwurf bleibt offen. Mit seiner Karte oder einer Zeile wie „{ $label }: …“ geht es weiter.
ticket-corrected = Geändert: { $label }.
ticket-no-update = Ich kann ein Issue schließen und wieder öffnen, kommentieren, zuweisen und verknüpfen. Sag, welches, mit seinem Schlüssel: „schließe DEMO-1“. Nichts wurde geändert.

## Änderungen

edit-by-model = Vom Modell vorgeschlagen, also vor dem Freigeben lesen:
    { $what }

edit-field =
    { $label }: Was soll dort stehen? Überspringen lässt es, Abbrechen beendet die Änderung.
    Jetzt: „{ $now }“
    Zeilen wie „{ $label }: …“ ändern mehrere Felder auf einmal. Es gibt: { $labels }.
edit-last-field = Das war das letzte Feld. Die Karte oben zeigt den jetzigen Stand.
edit-nothing-changed = Nichts wurde geändert: Schreib, was anders werden soll, in Zeilen wie „Titel: …“.
edit-type = Typ
# $kind: bug, story, task, epic or item
edit-no-item = Auf dieser Karte gibt es { $kind ->
    [bug] keinen Bug
    [story] keine Story
    [task] keine Aufgabe
    [epic] kein Epic
   *[item] keinen Eintrag
} { $n }. Nichts wurde geändert.
edit-undone = Zurückgenommen:
edit-nothing-to-undo = Daran gibt es keine Änderung, die sich zurücknehmen lässt.
edit-order-undone = Die Reihenfolge ist wie zuvor.
edit-left-open-undone = Was offen bleibt, ist wie zuvor.
edit-as-it-was = Das steht schon so da. Nichts wurde geändert.
edit-set = { $label }: „{ $now }“
edit-taken-out = { $label }: „{ $before }“ entfernt
edit-added = { $label }: „{ $more }“ ergänzt
edit-changed = { $label }: „{ $before }“ → „{ $now }“
edit-needs = { $label } darf nicht leer sein. Nichts wurde geändert.
edit-stays = { $label } darf nicht leer sein und bleibt, wie es ist.
edit-unknown-field = In diesem Formular gibt es kein Feld „{ $name }“. Nichts wurde geändert.

## Vorgänge, die es vielleicht gibt

uncertain-open = Der Tracker hat nicht geantwortet; „{ $title }“ wurde vielleicht angelegt, vielleicht nicht. Von selbst wird es nicht noch einmal gesendet.
uncertain-created-after-all = „{ $title }“: wurde doch angelegt
uncertain-decided = „{ $title }“: { $done } von @{ $who }
uncertain-refused = nicht angelegt: { $why }
uncertain-no-answer = wieder keine Antwort
uncertain-running = in Arbeit
uncertain-looking = Ich suche gerade danach
uncertain-next-look = Ich suche noch danach (nächster Blick: { $at })
uncertain-check-lost = der Tracker hat nicht geantwortet
adopt-which = Welcher Vorgang ist es? Schick seinen Schlüssel mit dem Formular dieses Knopfs, Feld „key“.
adopt-needs-key = Das Formular braucht den Schlüssel des Vorgangs. Nichts wurde geändert.
adopt-not-found = Nichts wurde übernommen: { $why }. Die Frage ist noch offen.
adopt-other-title = { $key } wurde nicht übernommen: Sein Titel ist „{ $title }“. Die Frage ist noch offen.
adopt-duplicate = Es gibt zwei Vorgänge für denselben Eintrag: { $older }, zu dem niemand eine Antwort hatte, und { $other }. Schließ bitte einen davon.
adopt-looking = Ich suche { $key } …
link-missing = der Tracker hat ihn nicht unter { $epic } gestellt
link-no-epic = das Epic dazu wurde nicht angelegt
