//! Writes expected summaries.

use serde_yaml_ng::Value;

use super::Build;
use crate::model::SummaryExpect;
use crate::yaml::{map, text};

pub(super) fn expected(summary: &SummaryExpect) -> Value {
    let mut all = Build(Vec::new());
    if let Some(wanted) = &summary.text {
        all.put("text", text(wanted.as_deref().unwrap_or("none")));
    }
    let numbers = [
        ("version", summary.version.map(u64::from)),
        ("cursor", summary.cursor),
        ("raw", summary.raw.map(|raw| raw as u64)),
    ];
    for (key, number) in numbers {
        if let Some(number) = number {
            all.put(key, Value::Number(number.into()));
        }
    }
    if let Some(tail) = &summary.tail {
        all.put("tail", Value::Sequence(tail.iter().map(|line| text(line)).collect()));
    }
    if let Some(asked) = summary.asked {
        all.put("asked", Value::Bool(asked));
    }
    map(all.0)
}
