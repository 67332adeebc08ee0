### Änderungen an Issues, die es gibt.

change-comment-field = Kommentar
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
