//! Checks the models in every state, and that the checker finds what is wrong in their wrong variants.

mod approval;
mod checking;
mod effect;
mod lane;
