### E-Mail an alle, die entscheiden dürfen, was wartet.

mail-subject = Wartet auf dich: { $what }
mail-asks = { $who } bittet um etwas, das du entscheiden darfst.
mail-more = … und { $n } weitere
mail-since = Seit { $at }
mail-until = Bis { $at }
mail-no-end = Bis jemand entscheidet
mail-open = Ansehen und entscheiden
mail-opens-for = Für den Link meldest du dich an. Wer ihn von dir bekommt und es nicht darf, kann damit nichts entscheiden.
mail-once = Diese Nachricht kommt einmal. War jemand schneller, sagt es die Seite.
