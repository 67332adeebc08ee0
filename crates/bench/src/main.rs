//! `cargo run --release -p throughline-bench`: what a step and a durable turn cost, each beside its limit in the same
//! run. Ratios count; absolute figures are for orientation (`spec 09`).
#![expect(clippy::print_stdout, reason = "a benchmark's result is its output")]

mod bare;
mod spread;
mod step;
mod turn;

use spread::Spread;

/// Rounds of everything; the figure quoted is their median.
const ROUNDS: usize = 5;

fn main() -> anyhow::Result<()> {
    match std::env::args().nth(1).as_deref() {
        // Few steps and no clock worth reading: for counting instructions under valgrind.
        Some("count") => drop(step::run(15, 200)),
        Some("step") => steps(),
        Some("turn") => turns()?,
        _ => {
            steps();
            turns()?;
        }
    }
    Ok(())
}

fn steps() {
    println!("The step, no store: one ambiguous message through all rungs to the gate, {ROUNDS} rounds\n");
    println!("| messages in the lane | p50 µs | p99 µs | µs a step, median of rounds (spread) |");
    println!("| --- | --- | --- | --- |");
    for messages in [0, 5, 10, 15] {
        let (mut means, mut p50, mut p99) = (Spread::default(), Spread::default(), Spread::default());
        for _ in 0..ROUNDS {
            let timing = step::run(messages, 4_000);
            means.add(timing.mean);
            p50.add(timing.p50);
            p99.add(timing.p99);
        }
        println!("| {messages} | {:.1} | {:.1} | {means:.1} |", p50.median(), p99.median());
    }
}

fn turns() -> anyhow::Result<()> {
    println!(
        "\nThe durable turn, SQLite, synchronous=FULL, 64 lanes in flight, {ROUNDS} rounds interleaved\n"
    );
    let (mut full, mut limit, mut ratio) = (Spread::default(), Spread::default(), Spread::default());
    let mut bytes = 0;
    for _ in 0..ROUNDS {
        let turns = turn::run(64, 100)?;
        let bare = bare::run(64, 100, &turns)?;
        full.add(turns.per_second);
        limit.add(bare);
        ratio.add(turns.per_second / bare);
        bytes = turns.bytes_per_turn;
    }
    println!("| case | turns/s, median (spread) |");
    println!("| --- | --- |");
    println!("| intake → step → commit, this engine | {full:.0} |");
    println!("| bare loop, the same bytes in the same groups | {limit:.0} |");
    println!("| ratio | {ratio:.2} |");
    println!("| bytes a turn on disk | {bytes} |");
    Ok(())
}
