# Was eine Installation aus ihrem eigenen Protokoll lernt und ein Mensch freigibt.
learned-title = Nachrichten hier anders lesen ({$changes ->
    [one] {$changes} Änderung
   *[other] {$changes} Änderungen
})
learned-replayed = Von {$decided} aufgezeichneten Entscheidungen wären {$changed} andere: {$better} bessere, {$worse} schlechtere, {$unknown}, zu denen nichts, was danach geschah, etwas sagt.
learned-more = … und {$more} weitere; alle stehen im Inhalt.
learned-in-force = Version {$number} gilt.
learned-superseded = Version {$number} kam zuvor, deshalb wurde nichts geändert. Von dort aus neu vorschlagen.
