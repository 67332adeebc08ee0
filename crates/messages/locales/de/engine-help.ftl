### Plauderei, die Hilfe, und die Antworten auf Befehle.

help-text =
    Ich mache aus Nachrichten Tickets, Prüfungen und Entscheidungen, und nichts verlässt diesen Thread, bevor jemand Freigeben drückt.
    Sag „leg ein Ticket an: …“, „prüf das“ oder „halte die Entscheidung fest: …“, oder schreib irgendetwas und wähle, was ich damit tun soll.
    { $command } help · status · pending · why · forget · stop · ticket TEXT · review TEXT · track KEY · untrack KEY · tracked
help-words = Das nehme ich hier an: { $command } { $words }
help-again = Wie oben: „leg ein Ticket an: …“, „prüf das“ oder „halte die Entscheidung fest: …“; { $command } status sagt, was offen ist.
help-greeting = Hallo! Ich mache Tickets, Prüfungen und Entscheidungen aus dem, was hier gesagt wird. Was kann ich für dich tun?
help-greeting-plain = Hallo!
help-greeting-again = Hallo noch einmal!
help-bot = Ich bin ein Programm: der Assistent dieses Gesprächs. Sag „Hilfe“, dann erkläre ich, was ich kann.
help-no-discussion = Darauf habe ich keine Antwort. Ich kann es prüfen (sag „prüf das“) oder ein Ticket daraus machen (sag „leg dafür ein Ticket an“).
help-too-much = Das ist mehr, als ich in einer Nachricht lesen kann, darum habe ich nichts damit getan. Schick bitte den Teil, auf den es ankommt, oder schick es in mehreren Nachrichten.
help-unread-only = Ich lese nur Worte und habe das nicht angesehen: { $files }. Schreib, worum es geht.
help-unread-beside = Ich habe nur die Worte gelesen und das nicht angesehen: { $files }.
help-files-kept = Aufgehoben: { $files }. Ich lese nur Worte: Schreib, worum es geht.
help-files-kept-beside = Aufgehoben: { $files }. Gelesen habe ich nur die Worte.
help-files-evidence = Beleg des Tickets: { $files }. Ich lese nur Worte und habe nicht hineingesehen.
help-not-your-message = Nur wer die Nachricht geschrieben hat, kann sie ändern oder löschen. Nichts wurde geändert.
help-unknown-command = „{ $command } { $word }“ kenne ich nicht. { $command } help zählt auf, was es gibt.
help-nearest-command = „{ $command } { $word }“ kenne ich nicht. Meinst du { $command } { $nearest }?
help-no-turn = In diesem Thread gibt es noch nichts zu erklären.

## Tickets und Karten eines Threads

tickets-none = In diesem Thread gibt es keine Tickets: Keins ist entworfen, und keins wurde hier angelegt oder wird verfolgt.
tickets-here = Die Tickets dieses Threads:
help-approvers = „{ $title }“ · { $who }
help-approvers-none = Hier wartet nichts auf eine Freigabe.
tickets-draft = Entwurf: { $title }
tickets-draft-untitled = Entwurf: ohne Titel
card-not-sent = Noch nicht. { $who }
card-none = Hier ist kein Entwurf und kein Review offen.
card-not-yours = So kann „{ $title }“ nur entfernen, wer darum gebeten hat. Wer entscheiden darf, kann Ablehnen drücken.
card-which = Was ist gemeint: { $titles }? Antworte auf die Karte, oder drücke dort Ablehnen.
cards-none-closed = Hier ist keine Karte von dir offen.
cards-closed = Geschlossen: { $titles }.

## Löschen

forget-me = Das löscht in jedem Gespräch hier, was ich von dir habe: deine Nachrichten und was aus ihnen wurde. Deine offenen Karten werden geschlossen. Es lässt sich nicht rückgängig machen. Wenn du es willst, schreib: { $command } forget { $words }
forget-me-once-more = Noch ist nichts gelöscht. Bist du sicher? Dann schreib es noch einmal, mit dem Code, der nur für dich gilt: { $command } forget { $words } { $code }
forget-me-begun = Ich lösche in jedem Gespräch hier, was ich von dir habe. Was mit einer Freigabe anderswo angelegt wurde, bleibt dort.
forget-me-open = Die Daten von jemandem wurden gelöscht. Was hier offen war und Worte von ihm oder ihr enthielt, ist geschlossen; was noch gebraucht wird, müsst ihr neu anfragen.
