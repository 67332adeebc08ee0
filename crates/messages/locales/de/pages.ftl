### Die Seiten des Web-Chats, wie der Server sie erzeugt.

page-skip = Zum Inhalt springen
page-conversations = Gespräche
page-new-conversation = Neues Gespräch
page-of-owner = von { $owner }
page-workspace = Arbeitsplatz
page-chat-alone = Nur der Chat
page-console = Konsole
page-you-are = Du bist
page-signed-in = Angemeldet als { $user }
page-sign-out = Abmelden
page-welcome = Was soll daraus werden?
page-welcome-text = Schreib, worum es geht. Ich frage nach, wenn ich unsicher bin, zeige dir genau, was geschehen würde, und tue außerhalb dieses Gesprächs nichts, bevor jemand auf Freigeben drückt.
page-examples = Beispiele
page-example-bug = Leg einen Bug an: Die Anmeldeseite bleibt leer
page-example-opinion = Was hältst du von Microservices?
page-example-help = Was kannst du?
page-earlier = Frühere Nachrichten
page-to-newest = Zu den neuesten Nachrichten
page-conversation = Gespräch
page-new-messages = Neue Nachrichten
page-message = Nachricht
page-write = Nachricht schreiben
page-send = Senden
page-no-reply = Nicht darauf antworten
page-hint-enter = sendet
page-hint-shift = beginnt eine neue Zeile

## Anmelden

page-sign-in = Anmelden
page-sign-in-with = Mit { $provider } anmelden
page-sign-in-as = Als { $user } anmelden
page-sign-in-link = Dieser Link meldet dich einmal als { $user } an.
page-sign-in-how = Öffne den Link, den du bekommen hast, oder nimm ein eigenes Token.
page-token = Token
page-wrong-token = Dieses Token gehört nicht zu dieser Installation. Prüfe es und versuche es noch einmal.
page-moment = Einen Moment. Lade die Seite neu, falls nichts geschieht.

## Formulare, Fehler und Vorgänge

page-edit = Bearbeiten
page-edit-over = Hier lässt sich nichts mehr ändern. Was du geschrieben hast, steht noch auf dieser Seite, zum Kopieren.
page-to-conversations = Zu meinen Gesprächen
page-slack-installed = Installiert in { $workspace }
page-slack-installed-next = Schreib der App in Slack oder erwähne sie in einem Kanal.
page-refusal-explained = Was zu tun ist, erfährt, wer diese Installation betreibt, mit „throughline explain { $code }“.
page-stories = Storys
page-links = Verknüpfungen
page-named-by = genannt von
page-comments = Kommentare
page-closed = geschlossen
page-given-to = zugewiesen an { $name }
page-kind-of = { $kind } von

## Der Arbeitsplatz

page-panels = Bereiche
page-open-document = Offenes Dokument
page-by-name = Nach Namen
page-sort-by-name = { $panel } nach Namen ordnen

## Wo jemand angemeldet ist

page-sessions = Wo ich angemeldet bin
page-sessions-are = Jeder Browser, in dem du dich angemeldet hast, bis du dich dort abmeldest oder seine Zeit um ist. Beende, was du nicht kennst.
page-sessions-none = Du bist nirgends angemeldet: Hier meldet sich niemand an.
page-session-here = dieser Browser
page-session-unnamed = Ein Browser ohne Namen
page-session-by = Angemeldet
page-session-by-link = mit einem einmaligen Link
page-session-by-token = mit einem Token
page-session-by-account = mit einem Konto
page-session-since = Seit
page-session-seen = Zuletzt gesehen
page-session-until = Bis
page-session-end = Beenden
page-session-end-others = Alle anderen beenden
