### Mehrere Tickets auf einmal.

batch-several = mehrere Tickets
batch-no-title = (noch kein Titel)
batch-one-item = Das ist ein einziger Eintrag, da gibt es nichts aufzuteilen. Bestätige stattdessen seine Länge.
batch-has-stories = Dieses Epic hat Storys. Entferne zuerst die, oder drücke Abbrechen für alles zusammen. Nichts wurde geändert.
batch-last-item = Das ist der letzte Eintrag. Drücke stattdessen Abbrechen. Nichts wurde geändert.
batch-which-story = Wie lautet die Story? In der ersten Zeile ihr Titel, dann Zeilen wie „Problem: …“ und „Akzeptanzkriterien: …“.
batch-confirm-label = { $n ->
    [one] { $n } Eintrag
   *[other] { $n } Einträge
} wirklich anlegen
batch-too-many = { $n } Einträge sind mehr, als auf eine Karte passen ({ $most }). Nichts wurde begonnen; nimm weniger auf einmal.
batch-what = { $listed } in { $project }
batch-part = { $what }, Teil { $n } von { $of }
batch-receipt = { $came-of } · gewünscht von @{ $by } · { $decided }
batch-working = In Arbeit …
batch-created = { $made } von { $all } angelegt
batch-some-on-the-way = { $n } unterwegs
batch-some-uncertain = { $n } ungewiss
batch-some-failed = { $n } fehlgeschlagen
batch-some-not-tried = { $n } nicht versucht
batch-some-cancelled = { $n } abgebrochen

batch-needs-detail = noch zu ergänzen: { $labels }
batch-left-open = offen gelassen: { $labels }
batch-goes-under = kommt unter { $epic }
batch-on-the-way = unterwegs
batch-done = erledigt
batch-item-created = angelegt als { $what }
batch-item-failed = fehlgeschlagen
batch-item-failed-why = fehlgeschlagen: { $why }
batch-item-not-tried = nicht versucht: { $why }
batch-item-uncertain = ungewiss: Der Tracker hat nicht geantwortet
batch-item-cancelled = abgebrochen
batch-item-stopped = angehalten
batch-tried-again = auf einer neueren Karte noch einmal versucht
batch-under = unter { $epic }
batch-link-failed = Verknüpfung fehlgeschlagen: { $why }
batch-link-checked = Verknüpfung mit { $epic } wird geprüft
batch-the-epic = dem Epic

batch-dropped = Gestrichen: { $label } („{ $title }“)
batch-moved = „{ $title }“ ist jetzt { $label }
batch-added = Hinzugefügt: { $label } („{ $title }“)
batch-title-missing = Es fehlt noch ein Titel
batch-part-missing = Es fehlt: { $label }
batch-confirm-number = vor dem Freigeben: bestätige, dass { $n ->
    [one] { $n } Eintrag angelegt werden soll
   *[other] { $n } Einträge angelegt werden sollen
}
batch-confirm-size = vor dem Freigeben: { $chars } Zeichen sind viel; teile es in Pakete auf, oder bestätige, dass alle angelegt werden
batch-number-not-confirmed = Nichts wurde freigegeben: Zuerst muss auf der Karte die Anzahl der Einträge bestätigt werden.
batch-size-not-confirmed = Nichts wurde freigegeben: Zuerst muss auf der Karte die Länge bestätigt oder alles in Pakete aufgeteilt werden.
batch-item-called = { $item } („{ $title }“)
batch-ask-one = { $item } ist in einem Punkt offen: { $first }? „Überspringen“ lässt ihn offen.
batch-ask-more = { $item } ist noch offen in: { $labels }. Schreib Zeilen wie „{ $first }: …“, oder lass mit „überspringen“ eins offen und mit „Rest überspringen“ alle. Zuerst: { $first }?
# Was ein Knopf eines Eintrags tut, für einen Screenreader.
batch-button-item = { $verb }: { $item }, { $title }, Version { $version }
