//! The context of a prompt: from records to bytes and fingerprints, with everything at its limit.

use std::hint::black_box;

use throughline_engine::context::prompt::{Anchor, PromptSections, build};
use throughline_engine::context::task_history::TaskHistory;
use throughline_engine::data::policy::context::ContextPolicy;
use throughline_engine::data::prompt::{BuiltPrompt, FactLine};
use throughline_engine::data::task::Task;
use throughline_engine::text::clean::{clean, quote};

use crate::frame::{Goal, Scale, Section, Spread, Table, Timing, interleaved, number, time};

/// A lane's state, and the context to render.
struct Case {
    name: &'static str,
    policy: ContextPolicy,
    tasks: Vec<Task>,
    facts: Vec<String>,
    messages: Vec<String>,
    summary: Vec<String>,
}

const WORDS: &str =
    "We will use Postgres for the orders, because the team knows it and <b>migrations</b> are \"cheap\". ";

/// Talk of that length, as people write it.
fn talk(n: usize, chars: usize) -> String {
    format!("{n}: {WORDS}").chars().cycle().take(chars).collect()
}

fn task(n: usize, blocked: bool) -> Task {
    let time = 1_768_471_200_000 + n as i64 * 1_000;
    let (status, end) = if blocked { ("blocked", "blocked_at") } else { ("completed", "completed_at") };
    serde_json::from_value(serde_json::json!({
        "id": format!("task-{n}"), "intent": talk(n, 100), "status": status, "created_at": time, end: time,
        "last_at": time, "seq": n, "reason": blocked.then(|| talk(n, 160)), "result": (!blocked).then(|| talk(n, 60)),
    }))
    .unwrap_or_else(|error| panic!("a task of the benchmark: {error}"))
}

impl Case {
    fn new(name: &'static str, done: usize, blocked: usize, facts: usize, messages: usize) -> Self {
        let tasks = (0..done).map(|n| task(n, false)).chain((0..blocked).map(|n| task(1_000 + n, true)));
        Self {
            name,
            policy: ContextPolicy::default(),
            tasks: tasks.collect(),
            facts: (0..facts).map(|n| talk(n, 60)).collect(),
            messages: (0..messages).map(|n| talk(n, 600)).collect(),
            summary: (0..if messages > 0 { 10 } else { 0 }).map(|n| talk(n, 150)).collect(),
        }
    }

    fn built(&self) -> BuiltPrompt {
        let line = |text: &String, most: usize| {
            let mut line = String::from("{ \"text\": ");
            quote(&mut line, &clean(text, most));
            line.push_str(" }");
            line
        };
        let facts = self.facts.iter().enumerate();
        let sections = PromptSections {
            rules: "## RULES\n".into(),
            contract: "## OUTPUT CONTRACT\n".into(),
            facts: facts.map(|(rank, text)| FactLine { line: line(text, 300), rank }).collect(),
            summary: self.summary.first().map(|text| line(text, 1_200)),
            tail: self.summary.iter().skip(1).map(|text| line(text, 160)).collect(),
            block: Some(TaskHistory::of(&self.tasks, None, &self.policy)),
            window: self.messages.iter().map(|text| line(text, self.policy.message_graphemes)).collect(),
            anchor: Anchor::default(),
            input_tokens: 100,
            facts_tokens: 800,
            max_tokens: self.policy.max_tokens,
        };
        build(sections).unwrap_or_default()
    }
}

pub(crate) fn run(scale: Scale) -> anyhow::Result<Section> {
    let prompts = scale.pick(4, 500, 5_000);
    let mut section = Section::new("B13", "a prompt's context");
    section.say(format!(
        "From records to bytes: texts cleaned of secrets and cut, quoted, put in order, held to the budget, hashed twice. {} \
         rounds interleaved, {} prompts each; microseconds of the processor; medians of the rounds with their spread.",
        scale.rounds(),
        number(prompts as f64, 0)
    ));
    let cases = [
        Case::new("nothing done, nothing said", 0, 0, 0, 0),
        Case::new("5 tasks, 10 blockers", 5, 10, 0, 0),
        Case::new("5 tasks, 10 blockers, 40 facts, a full window of long messages", 5, 10, 40, 15),
        Case::new("the same of a lane that keeps 100 tasks and 1,000 blockers", 100, 1_000, 40, 15),
    ];
    let mut timed: Vec<&Case> = cases.iter().collect();
    let results = interleaved("context", scale.rounds(), &mut timed, |case| {
        let go = || drop(black_box(black_box(&**case).built()));
        let allocations = allocation_counter::measure(go);
        Ok((time(prompts, &go), allocations))
    })?;
    let mut table = Table::new(&["state", "p50", "p99", "bytes", "allocations", "goal"]);
    for (n, (case, rounds)) in timed.iter().zip(&results).enumerate() {
        let of = |get: fn(&Timing) -> f64| rounds.iter().map(|(timing, _)| get(timing)).collect::<Spread>();
        let (p50, p99) = (of(|timing| timing.p50), of(|timing| timing.p99));
        let goal = format!("p99 {}", Goal::AtMost(200.0).judge(p99.median(), 0, " µs"));
        table.row([
            case.name.into(),
            format!("{p50:.1}"),
            format!("{p99:.1}"),
            number(case.built().text().len() as f64, 0),
            rounds[0].1.count_total.to_string(),
            if n == 2 { goal } else { String::new() },
        ]);
    }
    section.table(&table);
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each timed context holds what its row names.
    #[test]
    fn the_full_case_is_full() {
        let built = Case::new("", 5, 10, 40, 15).built();
        let text = built.text();
        assert_eq!(text.matches("\"blocked_at\"").count(), 10);
        assert_eq!(text.matches("\"completed_at\"").count(), 5);
        assert_eq!(built.sections.len(), 6);
        assert!(text.len() > 13_000, "{}", text.len());
    }
}
