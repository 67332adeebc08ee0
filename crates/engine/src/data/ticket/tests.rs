//! Parts of a draft, their writers, and the hash of what they make.

use super::*;

fn draft() -> Draft {
    let of = (TaskId::from("t_1"), MessageId::from("m_1"));
    Draft::blank("dr_1".into(), of, "ana", ItemType::Bug, Target::default())
}

fn names(authors: &Authors) -> Vec<&str> {
    authors.iter().collect()
}

#[test]
fn a_changed_part_has_its_writer_beside_those_before() {
    let (ana, bob) = (Authors::of("ana"), Authors::of("bob"));
    let mut draft = draft();
    draft.write(Part::Title, "Login bug", &ana);
    assert!(draft.written.is_empty(), "the asker's alone needs no entry");
    draft.write(Part::Title, " Login bug ", &bob);
    assert_eq!(names(&draft.authors(Part::Title)), ["ana"], "the same text stays whose it was");
    let before = draft.clone();
    draft.write(Part::Title, "Log-in bug", &bob);
    draft.write(Part::Risks, "none", &bob);
    assert_eq!(names(&draft.authors(Part::Title)), ["ana", "bob"]);
    assert_eq!(names(&draft.authors(Part::Risks)), ["bob"]);
    assert_eq!(names(&Authored::all(&draft.authored(""))), ["ana", "bob"]);
    draft.restore(Part::Title, &before);
    assert_eq!(
        (draft.part(Part::Title), names(&draft.authors(Part::Title))),
        ("Login bug", alloc::vec!["ana"])
    );
    draft.write(Part::Risks, "", &ana);
    assert!(draft.written.is_empty() && draft.authors(Part::Risks).is_empty(), "emptied: nobody's");
    draft.write(Part::Risks, "some", &ana);
    assert_eq!(names(&draft.authors(Part::Risks)), ["ana"], "whoever wrote it before it was emptied is out");
}

#[test]
fn a_models_text_has_the_authors_of_its_material() {
    let mut draft = draft();
    draft.material = Authors::of("bob");
    draft.take([(Part::Title, "Login bug".into())].into(), |_, _| false);
    assert_eq!(names(&draft.authors(Part::Title)), ["ana", "bob"]);
    draft.cite("https://chat.test/1");
    draft.cite("https://chat.test/1");
    assert_eq!(draft.part(Part::Evidence), "https://chat.test/1");
    assert!(!draft.written.contains_key(&Part::Evidence), "code is no author");
}
