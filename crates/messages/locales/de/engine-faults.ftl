### Fehler: warum ein Tracker etwas nicht angenommen hat, oder warum es nicht gesendet wurde.

fault-no-project = Es gibt kein Projekt { $project }; bekannt sind: { $known }
fault-archived = { $project } ist archiviert und nimmt keine neuen Vorgänge an
fault-not-permitted = { $by } darf { $act ->
    [see] { $project } nicht sehen
    [create] in { $project } keine Vorgänge anlegen
    [edit] in { $project } keine Vorgänge ändern
   *[link] in { $project } keine Vorgänge verknüpfen
}; wer darf: { $allowed }
fault-nobody-named = Niemand ist genannt, und nur wenige dürfen { $act ->
    [see] { $project } sehen
    [create] in { $project } Vorgänge anlegen
    [edit] in { $project } Vorgänge ändern
   *[link] in { $project } Vorgänge verknüpfen
}: { $allowed }
fault-epic-under = Ein Epic steht unter keinem anderen Vorgang
fault-wrong-level = Ein Vorgang der Art { $kind ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
} steht unter einem Epic, nicht unter der Art { $above ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
}
fault-no-hierarchy = { $project } hat { $gap ->
    [no_parent] kein Feld für einen übergeordneten Vorgang
    [no_epic_link] kein Feld für einen Epic-Link
   *[no_subtasks] Unteraufgaben abgeschaltet
} und stellt keinen Vorgang unter einen anderen
fault-other-hierarchy = { $project } hat { $gap ->
    [no_parent] kein Feld für einen übergeordneten Vorgang
    [no_epic_link] kein Feld für einen Epic-Link
   *[no_subtasks] Unteraufgaben abgeschaltet
}; setz projects.{ $project }.child_link = "{ $setting }"
fault-type-off = Die Art { $kind ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
} ist in { $project } abgeschaltet; es gibt: { $offered }
fault-no-type = { $project } kennt die Art { $kind ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
} nicht; es gibt: { $offered }
fault-required = { $part }: wird gebraucht
fault-no-field = { $project } hat kein Feld für { $part }
fault-not-number = { $part }: eine Zahl, nicht „{ $text }“
fault-not-day = { $part }: ein Tag wie 2026-01-15, nicht „{ $text }“
fault-not-one = { $part }: ein Wert, nicht { $count }
fault-not-assignable = { $part }: „{ $value }“ kann nicht zugewiesen werden
fault-not-offered = { $part }: „{ $value }“ gibt es nicht mehr
fault-nobody = { $part }: Niemand heißt „{ $value }“; es gibt: { $known }
fault-no-value = { $part }: „{ $value }“ gibt es nicht; es gibt: { $known }
fault-no-link-kind = { $project } kennt die Verknüpfung „{ $kind }“ nicht; es gibt: { $known }
fault-nothing-to-create = Es gibt nichts anzulegen
fault-too-many-items = { $count } Einträge sind zu viele auf einmal; höchstens { $most } werden angelegt
fault-same-id = Zwei Einträge haben dieselbe Kennung „{ $id }“
fault-under-itself = „{ $title }“ stünde unter sich selbst
fault-before-epic = „{ $title }“ kommt vor seinem Epic „{ $epic }“
fault-blank-title = Der Titel ist leer
fault-title-lines = Der Titel muss eine Zeile sein
fault-title-long = Der Titel hat { $length } Zeichen; höchstens { $most } passen
fault-label-blank = Das Label „{ $label }“ hat ein Leerzeichen; schreib { $joined }
fault-label-long = Ein Label hat { $length } Zeichen; höchstens { $most } passen
fault-text-long = Der Text hat zusammen { $length } Zeichen; höchstens { $most } passen
fault-control-character = { $part }: ein Steuerzeichen, das kein Tracker zeigen kann
fault-no-title = Der Eintrag hat keinen Titel
fault-no-issue = Es gibt keinen Vorgang { $key }
fault-no-issue-in = Es gibt in { $project } keinen Vorgang { $key }
fault-no-other-issue = Es gibt keinen anderen Vorgang { $key }
fault-no-epic = Es gibt kein Epic { $key }
fault-parent-elsewhere = { $parent } ist in einem anderen Projekt; ein übergeordneter Vorgang ist in { $project }
fault-no-parent = „{ $parent }“ ist weder ein Eintrag des Stapels noch ein Vorgang von { $project }
fault-no-key = „{ $named }“ ist kein Schlüssel von { $project }; nenn einen wie { $project }-1
fault-comment-long = Ein Kommentar hat höchstens { $most } Zeichen
fault-other-text = { $effect } hat { $key } aus einem anderen Text gemacht; nichts wurde angelegt
fault-create-crowded = in { $project } werden gerade zu viele Vorgänge auf einmal angelegt
fault-change-crowded = { $key } wird gerade von zu vielen auf einmal geändert
fault-storage = der Tracker kommt nicht an seinen Speicher; wer das hier betreibt, findet den Grund im Log
fault-storage-unknown = es ist nicht zu sagen, ob der Tracker es aufgeschrieben hat; wer das hier betreibt, findet den Grund im Log
fault-unreachable = der Tracker hat die Verbindung abgelehnt
fault-slow-down = der Tracker bittet, langsamer zu senden (429)
fault-failed = der Tracker hat mit { $status } geantwortet
fault-silent = der Tracker hat nicht rechtzeitig geantwortet
fault-credentials = der Tracker lehnt unsere Zugangsdaten ab (401)
fault-field-missing = { $field } ist in { $project } Pflicht, und kein Teil eines Tickets füllt es; wer das hier betreibt, kann es für das Projekt setzen
fault-set-value = { $field } in { $project } nimmt „{ $value }“ nicht an, das für das Projekt gesetzt ist
fault-field-refused = { $why ->
    [absent] was { $field } nennt, gibt es im Tracker nicht
    [required] { $field } ist im Tracker Pflicht
    [taken] der Tracker hat schon etwas mit demselben Wert in { $field }
   *[invalid] der Tracker nimmt den Wert in { $field } nicht an
}
fault-issues-off = In { $project } sind Vorgänge abgeschaltet; wer das Projekt betreibt, kann sie einschalten
fault-elsewhere = Es ist nach { $address } umgezogen; wer das hier betreibt, kann dem Projekt den neuen Ort nennen
fault-no-step = { $key } lässt sich von dort, wo es in seinem Ablauf steht, nicht { $state ->
    [open] wieder öffnen
   *[closed] schließen
}
fault-not-configured = es ist kein Tracker namens { $tracker } eingerichtet
fault-not-of-tracker = das führt kein Tracker aus
# Eine Art in einer Aufzählung.
fault-type = { $kind ->
    [bug] Bug
    [story] Story
    [task] Aufgabe
   *[epic] Epic
}

## Auf dem Weg nach draußen

sending-unreadable = die gespeicherte Anfrage ist nicht zu lesen
sending-dependency = wovon es abhängt, wurde nicht getan
sending-worker-gone = der Prozess, der es versucht hat, ist weg
sending-altered = die gespeicherte Anfrage ist nicht, was gezeigt wurde (TL-4107)
sending-no-approval = dafür wurde keine Freigabe verbraucht
sending-no-decision = die Entscheidung, die es freigibt, ist nicht mehr gespeichert
sending-no-epic-key = das Epic dazu hat keinen Schlüssel
sending-no-linked-keys = die Vorgänge, die zu verknüpfen sind, haben keinen Schlüssel
sending-host-only = das kann nur die Anwendung
sending-host-silent = die Anwendung hat sich nicht rechtzeitig gemeldet
sending-host-silent-why = die Anwendung hat keinen Grund genannt
sending-no-client = für { $target } ist hier nichts eingerichtet
sending-being-sent = was anzuhalten ist, wird gerade gesendet
sending-no-end = es war nach einem Tag nicht zu Ende
sending-no-channel = hier gibt es keinen Kanal { $channel }
sending-no-place = { $channel } hat bei { $to } keinen Platz für Posts
sending-channel-busy = der Kanal hat rechtzeitig nichts angenommen
sending-slower = { $channel } bittet, langsamer zu senden
sending-rationed = { $channel } nimmt in diesem Gespräch nur wenige Nachrichten an
sending-not-let = { $channel } lässt uns dort nicht schreiben: { $why }
sending-not-installed = die App ist in diesem Arbeitsbereich nicht mehr installiert
sending-gone = die Nachricht ist weg
sending-too-long = der Text ist zu lang für eine Nachricht bei { $channel }
sending-unnamed = { $channel } hat keine Nachricht genannt
sending-unfindable = was nur eine Person sieht, kann nicht gesucht werden
sending-not-there = { $channel } hat keine Nachricht davon
sending-not-readable = { $channel } kann nicht danach gefragt werden: { $why }
sending-place-unknown = { $channel } hat noch nicht gesagt, wo die App installiert ist
sending-right-missing = der App fehlt bei { $channel } das Recht { $right }; füg es hinzu und installiere die App noch einmal
sending-complete = die Nachricht ist schon vollständig
sending-too-late = die Zeit, ein Fenster zu öffnen, ist vorbei
sending-marks-unread = { $channel } kann die Auszeichnungen des Textes nicht lesen
sending-moved = das Gespräch hat jetzt einen anderen Namen
sending-not-delivered = das stellt kein Kanal zu

## Von Werkzeugen und Unteragenten

tool-no-tool = es gibt kein Werkzeug { $name }
tool-no-agent = es gibt keinen Unteragenten { $name }
tool-not-agent = das ist kein Unteragent
tool-host-runs = einen Punkt führt nur seine Anwendung aus
tool-tracker-changes = einen Vorgang ändert nur sein Tracker
tool-withdrawn = der Server hat kein Werkzeug { $name } mehr (TL-5301)
tool-unpinned = es ist nicht mehr bestätigt (TL-5301)
tool-changed = was es von sich sagt, hat sich geändert; es bleibt aus, bis jemand es ansieht und `throughline tools pin` ausführt (TL-5301)
tool-unseen = niemand hat es bisher angesehen; es bleibt aus, bis jemand `throughline tools pin` ausführt (TL-5301)
tool-server-lacks = der Server hat kein Werkzeug { $name }
tool-busy = der Server ist mit anderen Aufrufen beschäftigt
tool-unreachable = es ist nicht zu erreichen
tool-resting = es ist eben ausgefallen und bekommt einen Moment Zeit
tool-broken-off = die Verbindung brach ab, bevor eine Antwort kam
tool-failing = es hat mit einem eigenen Fehler geantwortet (Status { $status })
tool-unlisted = die Liste der Werkzeuge lässt sich nicht lesen
tool-card-unusable = die Karte nennt keine Adresse, die benutzt werden darf
tool-pins-unread = ob es erlaubt ist, lässt sich gerade nicht nachsehen
tool-asked-together = es hat für mehrere Aufrufe zugleich etwas gefragt
tool-answer-long = die Antwort ist länger als 256 KiB
tool-wants-model = es fragt nach der Antwort eines Modells und bekommt sie nicht
tool-wants-folders = es fragt nach Ordnern und bekommt sie nicht
tool-wants-several = es fragt nach mehrerem auf einmal
tool-asks-again = es will immer wieder neu gefragt werden
tool-refuses-token = der Server nimmt das Token nicht an
tool-unconnected = niemand hat es verbunden, oder die Verbindung ist abgelaufen; jemand aus dem Betrieb muss es verbinden
tool-lacks-rights = der Server will mehr Rechte, als erteilt wurden; jemand aus dem Betrieb muss es neu verbinden
tool-no-token = es war gerade kein Token dafür zu bekommen
tool-not-in-time = es kam keine Antwort in der Zeit
tool-closed = die Verbindung ist zu
tool-too-often = es wird zu oft gefragt
tool-forgot = der Server kennt uns nicht mehr
tool-no-result = die Antwort ist kein Ergebnis
tool-no-task-or-message = die Antwort ist weder eine Aufgabe noch eine Nachricht
tool-task-unnamed = die Aufgabe in der Antwort hat keine Kennung
tool-task-unclear = die Aufgabe in der Antwort ist in keinem bekannten Zustand
tool-not-of = { $name }: möglich ist { $known }, nicht „{ $text }“
tool-not-whole = { $name }: „{ $text }“ ist keine ganze Zahl
tool-not-numeric = { $name }: „{ $text }“ ist keine Zahl
tool-not-yes-no = { $name }: „{ $text }“ ist weder ja noch nein
tool-not-words = { $name }: Wörter werden hier nicht angenommen
tool-refused-argument = { $name }: { $why }
tool-refused-arguments = das wird nicht angenommen: { $why }
tool-schema-unusable = sein Eingabeschema ist nicht brauchbar: { $why }
tool-asks-nothing = es fragt nach nichts
tool-asks-many = es fragt nach { $count } Dingen auf einmal, und höchstens { $most } sind erlaubt
tool-asks-structure = es fragt nach { $name }, und das ist kein einzelnes Wort
tool-wants-page = es schickt Leute auf eine Webseite, und das geht von hier aus nicht
tool-unknown = es weiß davon nichts mehr: { $why }
tool-ended = { $how ->
    [sign_in] dort muss sich jemand anmelden
    [refused] es nimmt das nicht an
   *[failed] es ist fehlgeschlagen
}
tool-ended-with = { $how ->
    [sign_in] dort muss sich jemand anmelden
    [refused] es nimmt das nicht an
   *[failed] es ist fehlgeschlagen
}: { $why }
