//! Rulings on whole messages, in each language.

use alloc::format;
use alloc::vec::Vec;

use super::rules::{RuledIntent, rule};
use crate::Words;

#[test]
fn tickets() {
    let mut wrong = Vec::new();
    for (text, item, object) in [
        ("Create a ticket for login bug", "ticket", Some("login bug")),
        ("create a bug: Login fails\nSteps: open the page", "bug", Some("Login fails")),
        ("Now create a ticket for something unrelated", "ticket", Some("something unrelated")),
        ("please open a ticket for the broken printer", "ticket", Some("the broken printer")),
        ("can you create a bug for the Safari crash?", "bug", Some("the Safari crash")),
        ("I need a ticket for VPN access", "ticket", Some("VPN access")),
        ("file a bug about slow search", "bug", Some("slow search")),
        ("log an issue: disk full", "issue", Some("disk full")),
        ("Create epic with 5 stories for auth", "epic", Some("auth")),
        ("now create the epic for that", "epic", None),
        ("create a ticket for this", "ticket", None),
        ("create tickets for the findings", "ticket", None),
        ("make stories of all the open questions", "story", None),
        ("make a jira ticket for this", "ticket", None),
        ("create 3 stories from this review", "story", None),
        ("create a ticket for that bug, please", "ticket", None),
        ("create a ticket for the bug in the export", "ticket", Some("the bug in the export")),
        ("Let's create a ticket", "ticket", None),
        ("The login is broken. Please create a bug for it", "bug", None),
        ("turn this into a user story", "story", None),
        ("Could you please file a feature request for dark mode?", "feature", Some("dark mode")),
        ("open an urgency high ticket about printer not working", "ticket", Some("printer not working")),
        ("create subtasks for SCRUM-1111", "subtask", Some("SCRUM-1111")),
        ("open incident", "incident", None),
        ("would you mind opening a ticket for the VPN?", "ticket", Some("the VPN")),
        ("This should be a ticket", "ticket", None),
        ("ok, thanks. File a bug: \"Save\" does nothing", "bug", Some("\"Save\" does nothing")),
    ] {
        let ruling = rule(&Words::of(text)).filter(|ruling| ruling.intent == RuledIntent::Ticket);
        let found = ruling.as_ref().map(|ruling| (ruling.item, ruling.object.as_deref()));
        wrong.extend((found != Some((Some(item), object))).then(|| format!("{text}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn rules_by_name() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("Create a ticket for login bug", "ticket.create"),
        ("I need a ticket for X", "ticket.want"),
        ("please log this", "ticket.unnamed"),
        ("ok file it", "ticket.unnamed"),
        ("Can you log that for me please?", "ticket.unnamed"),
        ("the search is broken since yesterday, please log this", "ticket.unnamed"),
        ("put it in the backlog", "ticket.unnamed"),
        ("create one for that too", "ticket.unnamed"),
        ("add this to Jira", "ticket.unnamed"),
        ("update SCRUM-1111", "ticket.update"),
        ("Update issue's title to printer not working", "ticket.update"),
        ("please change the priority of the ticket", "ticket.update"),
        ("set aside, change the ticket's description", "ticket.update"),
        ("Review this architecture", "review.this"),
        ("please review this", "review.this"),
        ("can you review the design?", "review.this"),
        ("do a security review of the login flow", "review.this"),
        ("security review please", "review.this"),
        ("Record the decision: we use Postgres", "decision.record"),
        ("please log this decision", "decision.record"),
        ("can you note down our decision on caching: Redis", "decision.record"),
        ("Halte die Entscheidung fest: wir nehmen Postgres", "decision.record"),
        ("Bitte protokolliere diesen Beschluss", "decision.record"),
        ("what can you do", "meta.capabilities"),
        ("What can you do?", "meta.capabilities"),
        ("help", "meta.help"),
        ("hello there", "meta.greeting"),
        ("how do I create a ticket?", "meta.ticket_question"),
        ("what is an epic?", "meta.ticket_question"),
        ("show my tickets", "meta.ticket_lookup"),
        ("what is open?", "meta.status"),
        ("who can approve this?", "meta.approvers"),
        ("Why did you do that?", "meta.why"),
        ("Who has to approve it?", "meta.approvers"),
        ("may I approve this myself?", "meta.approvers"),
    ] {
        let found = rule(&Words::of(text)).map(|ruling| ruling.rule);
        wrong.extend((found != Some(expected)).then(|| format!("{text}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn silence() {
    let mut wrong = Vec::new();
    for text in [
        "What do you think about microservices?",
        "don't create a ticket yet",
        "don't log this",
        "log this in to the server and restart",
        "file it under recipes",
        "put it in the oven",
        "create one",
        "users log it",
        "don’t create a ticket",
        "no need to open a ticket",
        "let's not file a bug",
        "we should not create a ticket and file a bug",
        "should we create a ticket?",
        "He said \"create a ticket for the login bug\"",
        "> create a ticket for the login bug",
        "the log says `create a ticket`",
        "Create a ticket button is broken",
        "when I create a ticket it crashes",
        "users create a ticket every day",
        "no ticket needed",
        "change the ticket status page",
        "without a ticket",
        "the ticket is closed",
        "I have this issue as well",
        "thanks, looks good",
        "don't record the decision yet",
        "He said \"record the decision\"",
        "should we record the decision?",
        "we record the decision log every week",
        "record the decision tree",
        "Halte die Entscheidung nicht fest",
        "I like the approach",
        "open issues are listed in the document",
        "Creating an issue on GitHub fails",
        "you can open a new issue",
        "we should create a ticket",
        "this could be a bug",
        "I'm trying to create an issue",
        "what issues do you see in this design?",
        "are there any issues with this plan?",
        "is the issue in the cache layer?",
        "which issue should we tackle first?",
        "",
    ] {
        let ruling = rule(&Words::of(text));
        wrong.extend(ruling.map(|ruling| format!("{text}: {} {:?}", ruling.rule, ruling.object)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn german_tickets() {
    let mut wrong = Vec::new();
    for (text, item, object) in [
        ("Erstelle ein Ticket für den Login-Fehler", "ticket", Some("den Login-Fehler")),
        ("erstell bitte einen Bug: Login geht nicht", "bug", Some("Login geht nicht")),
        ("Leg ein Ticket für den Login an", "ticket", Some("den Login")),
        ("Leg bitte ein Ticket an: Drucker druckt nicht", "ticket", Some("Drucker druckt nicht")),
        ("Kannst du ein Ticket für den Safari-Absturz anlegen?", "ticket", Some("den Safari-Absturz")),
        ("Könntest du bitte einen Bug für die Suche erstellen?", "bug", Some("die Suche")),
        ("Ich möchte ein Ticket für VPN-Zugang erstellen", "ticket", Some("VPN-Zugang")),
        ("Ich brauche ein Ticket für VPN-Zugang", "ticket", Some("VPN-Zugang")),
        ("Bitte ein Ticket für den Export anlegen", "ticket", Some("den Export")),
        ("Ticket anlegen: Suche ist langsam", "ticket", Some("Suche ist langsam")),
        ("Neues Ticket: Suche ist langsam", "ticket", Some("Suche ist langsam")),
        ("Mach daraus ein Ticket", "ticket", None),
        ("Mach das zu einer User Story", "story", None),
        ("Mach mir bitte ein Ticket auf", "ticket", None),
        ("Kannst du dafür ein Ticket anlegen?", "ticket", None),
        ("Erstelle ein Epic mit 5 Stories für Auth", "epic", Some("Auth")),
        ("Jetzt erstelle das Epic dazu", "epic", None),
        ("Der Login geht nicht, bitte erstelle ein Ticket dafür", "ticket", None),
        ("Danke. Kannst du auch ein Ticket für den Export anlegen?", "ticket", Some("den Export")),
        ("Eröffnen Sie bitte einen Vorgang zum Drucker", "issue", Some("Drucker")),
        ("Ich möchte eine Störung melden", "incident", None),
        ("Ein Ticket für den Export muss angelegt werden", "ticket", Some("den Export")),
        ("Daraus sollte ein Ticket werden", "ticket", None),
        ("Erstelle drei Stories aus diesem Review", "story", None),
        ("Erstelle Tickets für die offenen Fragen", "ticket", None),
        ("Erstelle ein Ticket für diesen Fehler", "ticket", None),
        ("Erstelle ein Ticket für den Fehler im Export", "ticket", Some("den Fehler im Export")),
        ("Lass uns ein Ticket für Caching anlegen", "ticket", Some("Caching")),
        ("Füge eine Story für das Abmelden hinzu", "story", Some("das Abmelden")),
        ("Können wir bitte ein Epic für Auth anlegen?", "epic", Some("Auth")),
    ] {
        let ruling = rule(&Words::of(text)).filter(|ruling| ruling.intent == RuledIntent::Ticket);
        let found = ruling.as_ref().map(|ruling| (ruling.item, ruling.object.as_deref()));
        wrong.extend((found != Some((Some(item), object))).then(|| format!("{text}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn german_rules_by_name() {
    let mut wrong = Vec::new();
    for (text, expected) in [
        ("Ich brauche ein Ticket für X", "ticket.want"),
        ("Kannst du ein Ticket für X anlegen?", "ticket.create"),
        ("Leg das bitte an", "ticket.unnamed"),
        ("Pack das ins Backlog", "ticket.unnamed"),
        ("mach dafür auch eins", "ticket.unnamed"),
        ("Die Suche geht nicht, trag das bitte ein", "ticket.unnamed"),
        ("Schließe das Ticket", "ticket.update"),
        ("Schließe AUTH-12", "ticket.update"),
        ("Kannst du das Ticket bitte schließen?", "ticket.update"),
        ("Ändere den Titel des Tickets", "ticket.update"),
        ("Prüfe diese Architektur", "review.this"),
        ("Review bitte die Architektur", "review.this"),
        ("Kannst du das Design des Login-Dienstes bewerten?", "review.this"),
        ("Schau dir bitte den Entwurf an", "review.this"),
        ("Mach ein Sicherheitsreview der Login-Seite", "review.this"),
        ("Security-Review bitte", "review.this"),
        ("Kannst du ein Review davon machen?", "review.this"),
        ("Halte die Entscheidung fest: wir nehmen Postgres", "decision.record"),
        ("Kannst du die Entscheidung festhalten: wir nehmen Postgres", "decision.record"),
        ("Was kannst du?", "meta.capabilities"),
        ("Hilfe", "meta.help"),
        ("Hallo zusammen", "meta.greeting"),
        ("Wie erstelle ich ein Ticket?", "meta.ticket_question"),
        ("Wie kann ich ein Ticket anlegen?", "meta.ticket_question"),
        ("Was ist ein Epic?", "meta.ticket_question"),
        ("Kannst du Tickets anlegen?", "meta.ticket_question"),
        ("Zeig mir meine offenen Tickets", "meta.ticket_lookup"),
        ("Welche Tickets sind offen?", "meta.ticket_lookup"),
        ("Was ist offen?", "meta.status"),
        ("Wer muss das freigeben?", "meta.approvers"),
        ("Wieso hast du das gemacht?", "meta.why"),
        ("Wer darf den Bug genehmigen?", "meta.approvers"),
        ("Bist du ein Mensch?", "meta.bot"),
        ("Vergiss den Modus", "meta.forget"),
    ] {
        let found = rule(&Words::of(text)).map(|ruling| ruling.rule);
        wrong.extend((found != Some(expected)).then(|| format!("{text}: {found:?}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn german_silence() {
    let mut wrong = Vec::new();
    for text in [
        "Was hältst du von Microservices?",
        "Erstelle noch kein Ticket",
        "Leg das nicht an",
        "leg das Kabel an die Wand",
        "trag mich für Montag ein",
        "Erstelle das Ticket noch nicht",
        "Erstelle ein Ticket bitte nicht",
        "Erstelle das Ticket für den Login noch nicht",
        "Kannst du das Ticket nicht anlegen?",
        "Bitte noch kein Ticket anlegen",
        "Ticket noch nicht anlegen",
        "Leg das Ticket noch nicht an",
        "Soll ich ein Ticket anlegen?",
        "Sollen wir ein Ticket für den Login anlegen?",
        "Er sagte „erstelle ein Ticket für den Login“",
        "> Erstelle ein Ticket für den Login",
        "Wenn ich ein Ticket anlege, stürzt es ab",
        "Wenn ich mich anmelde und ein Ticket anlege, stürzt es ab",
        "Ich melde mich an und erstelle ein Ticket, dann stürzt es ab",
        "Nutzer können sich anmelden und Tickets anlegen",
        "Nutzer können sich anmelden und ein Ticket für den Export anlegen",
        "Nutzer legen jeden Tag Tickets an",
        "Ein Ticket kann jeder anlegen",
        "Wir haben gestern ein Ticket für den Login angelegt",
        "Das Ticket ist geschlossen",
        "Die Ticket-Übersicht ist kaputt",
        "Erstelle eine Ticket-Übersicht",
        "Kannst du eine Ticket-Liste erstellen?",
        "Ich habe das gleiche Problem",
        "Öffne das Ticket",
        "Danke, sieht gut aus",
        "Die Prüfung der Architektur war gut",
        "Wir prüfen das Design morgen",
        "Das Review war hilfreich",
        "Ich mag den Ansatz",
    ] {
        let ruling = rule(&Words::of(text));
        wrong.extend(ruling.map(|ruling| format!("{text}: {} {:?}", ruling.rule, ruling.object)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn told_or_asked() {
    let mut wrong = Vec::new();
    for (text, asked) in [
        ("The login is broken, I can't get in, please create a ticket", true),
        ("I can't log in, create a ticket", true),
        ("It does not start so please create a ticket", true),
        ("Der Login geht nicht also erstelle ein Ticket", true),
        ("don't, please, create a ticket", false),
        ("don't file a bug, create a ticket, or do anything", false),
        ("create a ticket for it, not yet", false),
        ("create the ticket not yet", false),
        ("Users can log in and create tickets", false),
        ("When I log in and create a ticket it crashes", false),
        ("Could you check the logs and create a ticket", true),
        ("I would like you to check the logs and create a ticket", true),
        ("check the logs and create a ticket for it", true),
        ("I looked at it, and now create a ticket", true),
    ] {
        let found = rule(&Words::of(text)).is_some();
        wrong.extend((found != asked).then_some(text));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
