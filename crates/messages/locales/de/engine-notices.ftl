### Hinweise der Anwendung: was sie nicht angenommen hat, und was sich um das Gespräch herum geändert hat.

notice-queue-full = „{ $beginning }“ und was gleich danach kommt, konnte ich nicht annehmen: Hier warten schon { $most } Nachrichten. Bitte schick es in einer Minute noch einmal.
notice-dead = Was du geschickt hast, konnte ich nicht verarbeiten; es ist beiseitegelegt ({ $turn }).
notice-outage = Wartet noch auf eine Entscheidung (was zwischen { $from } und { $to } gedrückt wurde, kann verloren sein)
notice-moved = Dieser Chat ist umgezogen; was auf eine Entscheidung wartet, wird hier noch einmal gezeigt
notice-joined = Du bist hier nun { $user }: Was { $user } freigeben darf, darfst du freigeben.
notice-link-over = Dieser Link gilt nicht mehr. Bitte um einen neuen.
host-silent = Dazu habe ich gerade keine Antwort. Bitte schick es noch einmal.
