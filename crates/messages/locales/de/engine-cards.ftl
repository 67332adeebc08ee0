### Karten: was die der verschiedenen Arten teilen.

card-gone = Das gibt es nicht mehr
card-superseded = Eine neuere Karte ist an die Stelle von dieser getreten: { $what }
card-expired = Ohne Entscheidung abgelaufen: { $what }
card-cancelled = Abgebrochen: { $what }
card-working = In Arbeit … (gedrückt von @{ $who })
card-dropped = Abgebrochen · { $decided }

card-asked-by = gewünscht von @{ $by }
card-written-by = geschrieben von { $names }
card-checks-running = Kontrollen laufen
card-checks-passed = Kontrollen bestanden, { $at }
card-checks-failed = Kontrollen fehlgeschlagen: Nichts wurde angelegt
card-until = bis { $at }
card-may-approve = freigeben dürfen: { $who }
card-nobody-may = Niemand ist dafür eingetragen, das freizugeben (TL-4103)
card-size = { $n ->
    [one] { $n } Eintrag
   *[other] { $n } Einträge
}, { $chars } Zeichen

card-gap = offen
card-gap-needed = vor dem Freigeben nötig
card-left-open = offen gelassen von @{ $by }
card-left-open-needed = offen gelassen von @{ $by }, aber vor dem Freigeben nötig
card-part-by = von { $names }
card-proposed = vorgeschlagen
card-needs = vor dem Freigeben: { $labels }
card-not-yet-running = die Kontrollen laufen noch
card-not-yet-failed = die Kontrollen sind fehlgeschlagen
card-not-yet-number = bestätige zuerst die Anzahl der Einträge
card-not-yet-size = bestätige zuerst die Länge oder teile es auf

card-unshown = Ich kann die Karte hier nicht zeigen: { $title }
card-unshown-waits =
    Ich kann die Karte hier nicht zeigen: { $title }
    Sie wartet weiter: Entscheiden lässt sie sich in der Konsole, und „{ $command } pending“ zählt alles auf, was wartet.
card-reminder = Wartet noch auf eine Entscheidung: { $title }

# Was ein Knopf tut, für einen Screenreader.
card-button-creates = { $verb }: { $what } anlegen, Version { $version }
