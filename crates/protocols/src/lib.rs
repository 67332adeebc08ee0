//! Models of the protocols that promises rest on, small enough to be checked in every order of their steps.
//!
//! A model repeats a protocol without its data: which steps there are, what each compares, and which faults may come in
//! between. A step is named after the function that it stands for. Its tests check properties in every state that can be
//! reached, and that the same checker finds a violation in variants that are wrong. What the models say is in
//! `docs/reliability.md`; a change of a protocol changes its model first.
//!
//! [`history`] is the other direction: it judges what real replicas answered.

pub mod approval;
pub mod effect;
pub mod graph;
pub mod history;
pub mod lane;
