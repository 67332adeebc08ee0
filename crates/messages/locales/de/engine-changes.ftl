### Änderungen an Issues, die es gibt.

change-comment-field = Kommentar
change-issue-field = Issue
change-other-field = Verknüpft mit
change-state = { $state ->
    [open] offen
   *[closed] geschlossen
}
change-given-to = { $name } zugewiesen
change-already = { $key } „{ $title }“ ist schon { $state ->
    [open] offen
   *[closed] geschlossen
}. Nichts wurde geändert.
change-already-given = { $key } „{ $title }“ ist schon { $name } zugewiesen. Nichts wurde geändert.
change-now = { $key } ist jetzt { $state ->
    [open] offen
    [closed] geschlossen
   *[unknown] im Tracker
} und niemandem zugewiesen.
change-now-given = { $key } ist jetzt { $state ->
    [open] offen
    [closed] geschlossen
   *[unknown] im Tracker
} und { $name } zugewiesen.
change-reported = { $key } ist jetzt: { $issue }
change-moved = { $key } wurde verschoben und ist jetzt { $to }.
change-gone = { $key } wurde im Tracker gelöscht.
change-not-read = Wie es um { $key } steht, konnte nicht gelesen werden: { $why }
change-no-comment = Was soll im Kommentar stehen? Schreib es hinter einen Doppelpunkt: „kommentiere es: …“.

change-parent = { $key } unter { $other } einordnen
change-comment = { $key } kommentieren
change-reopen = { $key } wieder öffnen
change-close = { $key } schließen
change-assign = { $key } { $name } zuweisen
change-link = { $key } mit { $other } verknüpfen

change-parent-made = { $key } gehört jetzt zu { $other }.
change-comment-made = Der Kommentar steht bei { $key }.
change-reopen-made = { $key } ist wieder offen.
change-close-made = { $key } ist geschlossen.
change-assign-made = { $key } ist { $name } zugewiesen.
change-link-made = { $key } ist mit { $other } verknüpft.

change-failed = { $key } wurde nicht geändert: { $why }
change-which = Welches: { $keys }? Nenn den Schlüssel.
change-not-here = Hier darf niemand eine Änderung von { $key } freigeben. Nichts wurde geändert.
