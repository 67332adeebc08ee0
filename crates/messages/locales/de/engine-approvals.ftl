### Freigaben: wer was drücken darf, und warum ein Knopfdruck nicht zählte.

approval-nothing = Hier wartet nichts auf eine Freigabe.
approval-nobody-may = Niemand ist dafür eingetragen, das freizugeben (TL-4103).
approval-self = Du hast darum gebeten, darum muss es jemand anderes freigeben.
approval-wrote-part = Ein Teil davon ist von dir, darum muss es jemand anderes freigeben.
approval-tampered = Die gespeicherte Anfrage ist nicht die, die gezeigt wurde. Nichts wurde getan (TL-4107).
approval-checks-run = Die Kontrollen laufen noch; Freigeben gibt es, sobald sie bestanden sind.
approval-checks-failed = Die Kontrollen sind fehlgeschlagen. Vor einer Änderung gibt es nichts freizugeben.
approval-approver-presses = Darüber entscheidet mit den Knöpfen der Karte, wer freigeben darf.
approval-not-by-text = Mit Worten wird nichts freigegeben. { $due }
approval-please-press = Drücke bitte { $labels } auf der Karte.
approval-forbidden = Du darfst das nicht freigeben. Das dürfen: { $who }
approval-who-role = alle mit der Rolle { $role }
approval-who-group = alle in der Gruppe { $group }
approval-urging-left-out = (Was zu einer Freigabe aufforderte, ist weggelassen.)

press-unknown = Diesen Knopf kenne ich nicht mehr. { $rest }
press-nothing-open = Hier ist nichts offen.
press-open = Offen ist hier: { $open }
press-outdated = Diese Vorschau ist veraltet. Es gilt Version { $version }.
press-outdated-card = Diese Vorschau ist veraltet. Eine neuere Karte in diesem Thread ist an ihre Stelle getreten.
press-stale = Das geht hier nicht mehr.
press-already = Schon erledigt
press-already-by = Schon { $done } von @{ $who } ({ $at })
press-expired = Diese Anfrage ist abgelaufen ({ $at }). Soll sie neu beginnen?
press-paused = @{ $by } hat das Senden angehalten ({ $since }). Nichts wurde freigegeben.
press-no-form = { $label } nimmt kein Formular an. Nichts wurde geändert.

# Was aus einer Karte wurde, hinter einem Pfeil.
came-of-running = in Arbeit
came-of-running-sent = in Arbeit, schon gesendet
came-of-some-running = { $n } in Arbeit
came-of-some-running-sent = { $n } in Arbeit, schon gesendet
came-of-done = erledigt
came-of-posted = veröffentlicht
came-of-stopped = angehalten
came-of-failed = fehlgeschlagen: { $why }
came-of-no-answer = noch keine Antwort
came-of-some-no-answer = { $n } noch ohne Antwort
came-of-all = { $key } und { $n } weitere dazu
came-of-some = { $made } von { $all } angelegt
