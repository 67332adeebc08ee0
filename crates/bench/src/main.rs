//! `cargo run --release -p throughline-bench`: what a step and a durable turn cost, each beside its limit in the same
//! run. Ratios count; absolute figures are for orientation (`spec 09`).
#![expect(clippy::print_stdout, reason = "a benchmark's result is its output")]

mod bare;
mod spread;
mod step;
mod turn;

use spread::Spread;

fn main() -> anyhow::Result<()> {
    let rounds = 5;
    println!("The step, no store: one ambiguous message through all rungs to the gate, {rounds} rounds\n");
    println!("| messages in the lane | p50 µs | p99 µs | µs a step, median of rounds (spread) |");
    println!("| --- | --- | --- | --- |");
    for messages in [0, 5, 10, 15] {
        let mut means = Spread::default();
        let (mut p50, mut p99) = (Spread::default(), Spread::default());
        for _ in 0..rounds {
            let timing = step::run(messages, 4_000);
            means.add(timing.mean);
            p50.add(timing.p50);
            p99.add(timing.p99);
        }
        println!("| {messages} | {:.1} | {:.1} | {means:.1} |", p50.median(), p99.median());
    }

    println!(
        "\nThe durable turn, SQLite, synchronous=FULL, 64 lanes in flight, {rounds} rounds interleaved\n"
    );
    let (mut full, mut limit, mut ratio) = (Spread::default(), Spread::default(), Spread::default());
    for _ in 0..rounds {
        let turns = turn::run(64, 100)?;
        let bare = bare::run(64, 100, &turns)?;
        full.add(turns.per_second);
        limit.add(bare);
        ratio.add(turns.per_second / bare);
    }
    println!("| case | turns/s, median (spread) |");
    println!("| --- | --- |");
    println!("| intake → step → commit, this engine | {full:.0} |");
    println!("| bare loop, the same bytes in the same groups | {limit:.0} |");
    println!("| ratio | {ratio:.2} |");
    Ok(())
}
