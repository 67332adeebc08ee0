### Die Listen der Gespräche, neben dem Chat und als eigene Seiten.

page-search-conversations = Meine Gespräche durchsuchen
page-all-conversations = Alle Gespräche
page-older-conversations = Ältere Gespräche
page-no-conversations = Es gibt noch keine Gespräche.
script-of-others = Von anderen
page-found-of = Suche: { $q }
page-nothing-found = In dem, was durchsucht wurde, kommt das nicht vor.
page-search-further = Weiter zurück suchen
page-title-of-conversation = Titel
page-rename = Umbenennen
page-remove = Von meiner Liste nehmen
page-remove-means = Es verschwindet von deiner Liste und aus deiner Suche, und es kommt zurück, sobald wieder jemand darin schreibt. Gelöscht wird nichts davon, Genehmigtes wird weiter ausgeführt, und wer das System betreibt, kann es noch lesen. Um zu löschen, was du gesagt hast, schreib „{ $command } forget me“.
page-remove-waiting =
    { $count ->
        [one] Eine Frage oder Karte wartet darin. Sie bleibt offen und kann beantwortet werden, bis sie abläuft.
       *[other] { $count } Fragen und Karten warten darin. Sie bleiben offen und können beantwortet werden, bis sie ablaufen.
    }
script-pinned = Angeheftet
script-last-days = Die letzten sieben Tage
script-last-month = Die letzten dreißig Tage
script-earlier = Älter
script-needs-you = wartet auf dich
script-unread = neu
script-options-of = Optionen von „{ $title }“
script-pin = Anheften
script-unpin = Lösen
script-rename-or-remove = Umbenennen oder entfernen

### Dateien von Nachrichten.

page-attach = Dateien anhängen
page-attached = Angehängte Dateien
script-detach = { $name } entfernen
script-picture = Bild
script-file-too-large = { $name } ist größer als 5 MB und wurde nicht angehängt.
script-too-many-files = Eine Nachricht hat höchstens { $most } Dateien.
script-file-not-kept = { $name } ließ sich nicht senden. Häng es wieder an, wenn das Netz zurück ist.

### Der Chat im Rahmen einer anderen Website.

page-close-chat = Chat schließen
page-embed-signing-in = Die Seite um den Chat herum meldet dich an.
page-embed-refused = Das ging nicht: Der Link wurde schon benutzt, oder seine Zeit ist um. Lade die Seite neu.
page-embed-own-window = Den Chat in einem eigenen Fenster öffnen

### Die installierte App.

page-offline = Das Netz ist weg
page-offline-kept = Hier steht nichts, was veraltet sein könnte. Was du geschrieben hast und nicht gesendet werden konnte, bleibt in seinem Tab und wird gesendet, sobald das Netz zurück ist.
page-notify = Auf diesem Gerät melden, was auf mich wartet
script-notify-forbidden = Dieser Browser erlaubt von hier keine Mitteilungen. Seine Einstellungen für diese Website können das ändern.
script-notify-failed = Das ließ sich nicht ändern. Versuch es noch einmal.
