### Was sich der Assistent merkt, und was hier bekannt ist.

fact-members-only = Nur Mitglieder können etwas über diesen Thread hinaus merken lassen. Lass das weg, dann notiere ich es hier.
fact-which-epic = Ich weiß nicht, welches Epic du meinst: In diesem Thread ist keins offen oder mehr als eins. Antworte auf seine Vorschau, oder verfolge seinen Vorgang hier.
fact-no-such = Das ist hier nicht notiert.
fact-not-yours = Zurücknehmen darf das, wer es gesagt hat, oder ein Mitglied.
fact-forgotten = Das ist vergessen.
fact-full = Das habe ich nicht notiert: Es ist kein Platz dafür, und was hier bekannt ist, ist sicherer.
fact-was-erased = Das habe ich nicht notiert: Es wurde gelöscht. Sag es noch einmal, dann tue ich es.
fact-reach = { $scope ->
    [thread] für diesen Thread
    [epic] für dieses Epic
   *[channel] für diesen Kanal
}
fact-kind = { $kind ->
    [decision] als Entscheidung
    [constraint] als Bedingung
   *[assumption] als Annahme
}
fact-noted = Notiert { $reach }, { $kind }: { $text }
fact-takes-the-place = Das tritt an die Stelle von: { $others }
fact-known = Das ist { $reach } schon notiert, { $kind }: { $text }
fact-which = Früher, am { $day }: { $earlier }. Jetzt: { $now }. Was gilt?
# Andere Worte für die Antworten, neben „first“, „second“ und „both“.
fact-choice-first = das erste, die erste, der erste, erstes, das frühere, die frühere, früher, das alte, die alte
fact-choice-second = das zweite, die zweite, der zweite, zweites, das spätere, die spätere, jetzt, das neue, die neue
fact-choice-both = beide, beides, alle beide, beide gelten, beides gilt
fact-holds = Notiert, { $reach } gilt: { $text }
fact-both-hold = Notiert, { $reach } gilt beides.

known-kind = { $kind ->
    [decision] Entscheidung
    [constraint] Bedingung
   *[assumption] Annahme
}
known-nothing = Hier ist noch nichts notiert. Sag „merk dir, dass …“, und ich behalte es.
known-nothing-about = Hier ist nichts zu „{ $about }“ notiert.
known-noted = Hier notiert:
known-noted-about = Hier zu „{ $about }“ notiert:
