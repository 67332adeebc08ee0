//! Metrics of the process, in the format of Prometheus. Labels contain no ids and no content.

mod families;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use throughline_store::Counts;

use crate::commit::commit;
pub use families::{FAMILIES, Kind};

/// Upper bounds of the histograms in seconds: from one commit to the longest wait of a person.
const SECONDS: [f64; 12] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 3.0, 10.0];

/// Returns the recorder of this process, installing it at the first call.
pub(crate) fn recorder() -> PrometheusHandle {
    static RECORDER: OnceLock<PrometheusHandle> = OnceLock::new();
    RECORDER.get_or_init(install).clone()
}

fn install() -> PrometheusHandle {
    let builder = || {
        let suffix = Matcher::Suffix("_seconds".into());
        PrometheusBuilder::new().set_buckets_for_metric(suffix, &SECONDS).unwrap_or_default()
    };
    let handle = builder().install_recorder().unwrap_or_else(|error| {
        tracing::warn!(%error, "another recorder is installed; /metrics shows only what is counted here");
        builder().build_recorder().handle()
    });
    families::describe();
    metrics::gauge!("throughline_build_info", "version" => env!("CARGO_PKG_VERSION"), "commit" => commit())
        .set(1.0);
    handle
}

/// Renders the page of metrics, with all families.
pub(crate) fn page(recorder: &PrometheusHandle) -> String {
    families::complete(recorder.render())
}

/// Adds up the values of a family on the page of metrics by one label, of the series whose labels fit.
pub(crate) fn sums(
    page: &str,
    family: &str,
    label: &str,
    fits: impl Fn(&str) -> bool,
) -> BTreeMap<String, u64> {
    let mut sums = BTreeMap::new();
    let of_family =
        page.lines().filter_map(|line| line.strip_prefix(family)?.strip_prefix('{')?.rsplit_once("} "));
    for (labels, value) in of_family.filter(|(labels, _)| fits(labels)) {
        let Some((_, rest)) = labels.split_once(&format!("{label}=\"")) else { continue };
        let value: u64 = value.parse().unwrap_or_default();
        *sums.entry(rest.split('"').next().unwrap_or_default().to_owned()).or_default() += value;
    }
    sums
}

/// Sets the number of lines that the log lost since the start, because nobody took them.
pub fn log_lines_lost(lines: u64) {
    metrics::counter!("throughline_log_lines_lost_total").absolute(lines);
}

/// Sets the gauges for what the store counts, and for the lanes that failed to run.
#[expect(clippy::cast_precision_loss, reason = "a gauge is a float, and no count here comes near 2^52")]
pub(crate) fn stored(counts: &Counts, failing: usize) {
    let set = |name: &'static str, value: u64| metrics::gauge!(name).set(value as f64);
    set("throughline_lane_queue_depth", counts.waiting);
    set("throughline_inbox_dead", counts.dead);
    set("throughline_effects_open", counts.open_effects);
    set("throughline_effects_uncertain", counts.uncertain);
    set("throughline_lanes", counts.lanes);
    metrics::gauge!("throughline_approvals", "state" => "pending").set(counts.approvals as f64);
    set("throughline_lanes_failing", counts.failing_lanes.max(failing as u64));
    set("throughline_effects_far", counts.far_effects);
    metrics::gauge!("throughline_inbox_oldest_seconds").set(counts.oldest_waiting as f64 / 1_000.0);
    metrics::gauge!("throughline_outbox_oldest_seconds").set(counts.oldest_due as f64 / 1_000.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_added_up_by_a_label() {
        let page = "# HELP a_total A.\na_total{class=\"x.y\",outcome=\"done\"} 2\na_total{class=\"x.z\",outcome=\"done\"} 3\n\
                    a_total{class=\"w\",outcome=\"failed\"} 1\na_totals{outcome=\"done\"} 9\n";
        let told = |of: &str| {
            sums(page, "a_total", "outcome", |labels| labels.contains(of)).into_iter().collect::<Vec<_>>()
        };
        assert_eq!(told("class"), [("done".to_owned(), 5), ("failed".to_owned(), 1)]);
        assert_eq!(told("class=\"x."), [("done".to_owned(), 5)]);
        assert_eq!(told("none"), []);
    }
}
