//! Training on made messages: the same bytes each time, and what lines of data label.

use super::*;

/// Made messages of two kinds, so many of each.
fn made(times: usize) -> Vec<Labelled> {
    let names = ["kino", "tafel", "regen", "wagen", "haus"];
    let line = |at: usize| {
        let name = names[at % names.len()];
        let (text, labels) = match at % 3 {
            0 => (format!("that suits me {name}"), [Some(true), Some(false), None, Some(false)]),
            1 => (format!("that bores me {name}"), [Some(false), Some(true), None, Some(false)]),
            _ => (format!("find me a {name}"), [Some(false), Some(false), Some(false), Some(true)]),
        };
        let question = format!("Would you like the {}?", names[(at / 3) % names.len()]);
        Labelled {
            question,
            text,
            labels,
            task: LabelledTask::Answer,
            source: "made".into(),
            group: at as u32 * 128,
        }
    };
    (0..times).map(line).collect()
}

#[test]
fn training_is_the_same_to_the_byte() {
    let made = made(300);
    let all: Vec<&Labelled> = made.iter().collect();
    let bytes = train(&all);
    assert_eq!(bytes, train(&all));
    assert_ne!(bytes, train(&all[..150]), "other examples make another model");
    let model = Model::of(&bytes).unwrap();
    let context = Context::default().to("Would you like the boat?");
    let judge = |text: &str| model.answer(&Words::of(text), &context).unwrap();
    let (yes, no) = (judge("that suits me well"), judge("that bores me well"));
    assert!(yes.yes && yes.margin > 0 && !no.yes && no.margin > 0, "{yes:?} {no:?}");
    assert!(judge("find me a boat").margin < 0);
}

#[test]
fn no_message_is_judged_by_what_learned_from_it() {
    let made = made(300);
    let unseen = cross_validate(&made, |_| true, |_| true);
    let open = made.iter().filter(|one| one.is_open()).count();
    assert_eq!(unseen.len(), open);
    let wrong = unseen.iter().filter(|one| one.margin > 0 && one.right == Some(false)).count();
    assert!(open > 200 && wrong == 0, "{wrong} of {open}");
}

#[test]
fn lines_say_what_they_label() {
    let read = |line: &str| Labelled::read(line).unwrap().map(|one| one.labels);
    let pending = |rest: &str| {
        read(&format!(
            r#"{{"id":"1","source":"own","task":"pending","system_text":"","user_text":"x","pending":{{"kind":"offer","expected_type":"boolean"}},{rest}}}"#
        ))
    };
    let (yes, no) = (Some(true), Some(false));
    assert_eq!(
        pending(r#""gold":"applies_plus","gold_value":{"canonical":["True"]}"#),
        Some([yes, no, no, yes])
    );
    assert_eq!(pending(r#""gold":"applies","gold_value":{"boolean":false}"#), Some([no, yes, None, no]));
    assert_eq!(pending(r#""gold":"correction""#), Some([no, None, None, None]));
    assert_eq!(pending(r#""gold":"applies","gold_sub":"dontcare""#), None);
    assert_eq!(
        read(r#"{"id":"1","source":"own","task":"closing","user_text":"x","gold":"complete"}"#),
        Some([None, None, yes, no])
    );
    assert!(Labelled::read("{").is_err());
}
