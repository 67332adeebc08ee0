### Listen zum Auswählen.

option-list-gone = Diese Liste gibt es nicht mehr
option-all-set = Alles erledigt: Hier ist nichts offen.
option-closed = Die Liste ist geschlossen. Sag „zurück zu den Optionen“, um sie wieder zu sehen.
option-not-yours = Diese Liste wurde jemand anderem gezeigt.
option-on-its-way = „{ $label }“ ist schon unterwegs.
option-waits = „{ $label }“ wartet auf der Karte noch auf die Freigabe.
option-chosen = „{ $label }“: Mache ich.
option-run = „{ $label }“ ausführen
option-maybe-done = Niemand hat gemeldet, was aus „{ $label }“ wurde; vielleicht ist es getan, vielleicht nicht. Von selbst wird es nicht noch einmal getan.
option-unreported = Niemand hat gemeldet, was aus „{ $label }“ wurde. Zum Wiederholen bitte noch einmal wählen.
option-failed = „{ $label }“ hat nicht geklappt.
option-failed-why = „{ $label }“ hat nicht geklappt: { $why }

# Wo eine Liste ist.
option-from-title = aus { $title }
option-from-chat = aus der Liste in diesem Chat
option-in-title = in { $title }
option-in-scope = { $scope ->
    [chat] im Chat
    [widget] im Widget
    [dashboard] im Dashboard
   *[workspace] am Arbeitsplatz
}
option-scope = { $scope ->
    [chat] Chat
    [widget] Widget
    [dashboard] Dashboard
   *[workspace] Arbeitsplatz
}

option-which = Welchen Punkt { $place } meinst du?
option-which-only = Das lässt sich nur dort öffnen, wo es gezeigt wird. Tippe es bitte { $place } an.
option-which-conditional = Ich tue nur, was jetzt gewünscht ist. Sag mir, wenn es so weit ist, oder wähle einen Punkt { $place }.
option-which-reply = Die Nachricht, auf die du antwortest, zeigt diese Punkte nicht. Welchen { $place } meinst du?
option-which-unseen = Das kam erst nach deiner Nachricht. Welchen Punkt { $place } meinst du?
option-which-several = Bitte eins nach dem anderen. Welchen Punkt { $place } zuerst?
option-which-range = Diese Stelle gibt es { $place } nicht. Welchen Punkt meinst du?
option-which-tie = Mehrere { $place } heißen so. Welchen meinst du?
option-which-compared = Aus dem, was bekannt ist, ergibt sich { $place } nicht genau einer. Welchen Punkt meinst du?
option-which-collision = Das können zwei verschiedene { $place } sein. Welchen meinst du?
option-which-command = Ist das ein Punkt { $place }, oder möchtest du etwas anderes? Wähle einen, oder sag es mit anderen Worten.
option-which-unsure = Ich bin nicht sicher, welchen Punkt { $place } du meinst. Welchen?
option-which-yes = Ja zu welchem Punkt { $place }?
option-which-noise = Das habe ich nicht verstanden. Welchen Punkt { $place }?
option-which-hesitation = Keine Eile. Das sind die Punkte { $place }:
option-which-shown = Das sind die Punkte { $place }:
option-which-instead = Welchen Punkt { $place } stattdessen?
option-which-changed = Die Liste hat sich geändert. Welchen Punkt { $place } meinst du?
option-which-again = Soll ich „{ $first }“ noch einmal öffnen? Das sind die Punkte { $place }:
option-which-first = Meinst du „{ $first }“ { $place }?
option-still = Ich weiß es immer noch nicht. Wähle bitte einen Punkt { $place }, mit Nummer oder Namen.
option-stays = Die Liste bleibt hier: Tippe einen Punkt an, oder sag „zurück zu den Optionen“.
option-more = … mehr
option-instead = „{ $label }“ stattdessen?
option-this-one = Meinst du „{ $label }“?
option-refine = Gut, keinen davon { $place }. Was suchst du?
option-put-aside = Ich habe die Liste beiseitegelegt. Mit „zurück zu den Optionen“ kommst du zurück.
option-put-aside-named = Ich habe die Liste beiseitegelegt. Mit „zurück zu den Optionen“ kommst du zurück; um „{ $label }“ zu wählen, drücke es oder sag seine Nummer.
option-scope-missing = In „{ $first }“ gibt es keine Liste zum Auswählen.
option-scope-elsewhere = Meinst du „{ $text }“ in { $first }?
option-scope-typo = Meinst du aus { $first }?
option-scope-which = Wo meinst du: { $names }?
option-was-not = Nein, in diesem Gespräch zuletzt nicht.
option-was-done = Ja: „{ $label }“ ({ $at }).
option-once-more = Ich bin noch nicht sicher. { $question }
