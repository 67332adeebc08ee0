### Wörter, die Sätze zu mehreren Themen teilen: Knöpfe, Teile von Tickets, Zustände, Zeitpunkte.

button-label = { $action ->
    [approve] Freigeben
    [reject] Ablehnen
    [edit] Bearbeiten
    [select_review] Prüfen
    [select_ticket] Ticket anlegen
    [dismiss] Nicht jetzt
    [remember] Für diesen Thread merken
    [adopt] Es gibt ihn schon …
    [create_again] Noch einmal anlegen
    [happened] Es ist geschehen
    [do_again] Noch einmal tun
    [cancel] Abbrechen
    [forget] Gemerkten Modus löschen
    [edit_story] Bearbeiten …
    [remove_story] Entfernen
    [add_story] Story hinzufügen …
    [confirm_quantity] Anzahl bestätigen
    [confirm_size] Alle anlegen
    [split] In Pakete aufteilen
    [show_full] Alles zeigen
    [approve_decision] Entscheidung festhalten
    [turn_into_ticket] Tickets daraus machen
    [finish] Abschließen
    [retry_missing] Fehlende noch einmal versuchen
    [comment] Vorgang kommentieren
    [option] Auswählen
    [none_of_these] Nichts davon
    [leave] Liste verlassen
   *[more] Mehr
}

# Was jemand mit einem Knopf getan hat: „freigegeben“.
button-pressed = { $action ->
    [approve] freigegeben
    [reject] abgelehnt
    [edit] geändert
    [select_review] beantwortet
    [select_ticket] beantwortet
    [dismiss] verworfen
    [remember] geändert
    [adopt] übernommen
    [create_again] noch einmal angelegt
    [happened] bestätigt
    [do_again] noch einmal gesendet
    [cancel] abgebrochen
    [forget] gelöscht
    [edit_story] geändert
    [remove_story] geändert
    [add_story] geändert
    [confirm_quantity] bestätigt
    [confirm_size] bestätigt
    [split] aufgeteilt
    [show_full] ganz gezeigt
    [approve_decision] festgehalten
    [turn_into_ticket] zu Tickets gemacht
    [finish] abgeschlossen
    [retry_missing] noch einmal versucht
    [comment] kommentiert
    [option] beantwortet
    [none_of_these] abgelehnt
    [leave] verlassen
   *[more] beantwortet
}
button-pressed-by = { $done } von @{ $who }, { $at }

part-label = { $part ->
    [title] Titel
    [problem] Problem
    [steps] Schritte zum Nachstellen
    [expected] Erwartet
    [actual] Tatsächlich
    [acceptance] Akzeptanzkriterien
    [solution] Lösungsvorschlag
    [constraints] Randbedingungen
    [dependencies] Abhängigkeiten
    [risks] Risiken
    [evidence] Belege
    [questions] Offene Fragen
    [labels] Labels
    [priority] Priorität
   *[assignee] Zuständig
}

item-type = { $kind ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
}
# Eine Anzahl von Einträgen einer Art: „5 Storys“.
item-count = { $n ->
    [one] { $n } { $kind ->
        [bug] Bug
        [story] Story
        [task] Aufgabe
       *[epic] Epic
    }
   *[other] { $n } { $kind ->
        [bug] Bugs
        [story] Storys
        [task] Aufgaben
       *[epic] Epics
    }
}

# Die Angebote kurzer Antworten.
offer-skip = Überspringen
offer-cancel = Abbrechen
offer-yes = ja
offer-no = nein

list-and = { $first } und { $last }
list-or = { $first } oder { $last }
quoted = „{ $text }“

# Eine Datei einer Nachricht: „Foto“.
file-kind = { $kind ->
    [animation] Animation
    [photo] Foto
    [video] Video
    [video-message] Videonachricht
    [voice-message] Sprachnachricht
    [audio-file] Audiodatei
    [file] Datei
    [sticker] Sticker
    [picture] Bild
    [story] Story
    [place] Ort
    [contact] Kontakt
    [poll] Umfrage
    [checklist] Checkliste
    [dice] Würfel
   *[other] { $word }
}

## Zeitpunkte

time-day = { $day }.{ $month }., { $clock }
time-year = { $day }.{ $month }.{ $year }, { $clock }
time-date = { $day }. { $month ->
    [1] Januar
    [2] Februar
    [3] März
    [4] April
    [5] Mai
    [6] Juni
    [7] Juli
    [8] August
    [9] September
    [10] Oktober
    [11] November
   *[12] Dezember
}
