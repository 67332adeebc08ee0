//! Findings of sections that are kept, where many that have parts in common are asked at the same places.

use alloc::vec;
use alloc::vec::Vec;
use core::cell::{Cell, OnceCell};

use super::SectionId;

/// The findings of one language's sections on the same words. A place holds the finding that was made there last. Most
/// messages ask for so few that none is kept.
pub(crate) struct Memo {
    asked: Cell<u32>,
    places: OnceCell<Vec<Cell<(u64, u64)>>>,
}

impl Memo {
    const PLACES: usize = 64;
    /// Findings that are not kept, because to keep them costs more.
    const FEW: u32 = 8;

    pub(crate) const fn new() -> Self {
        Self { asked: Cell::new(0), places: OnceCell::new() }
    }

    pub(super) fn of(&self, id: SectionId, at: usize, depth: u8, read: impl FnOnce() -> u64) -> u64 {
        if self.asked.get() < Self::FEW {
            self.asked.set(self.asked.get() + 1);
            return read();
        }
        let places = self.places.get_or_init(|| vec![Cell::new((0, 0)); Self::PLACES]);
        // An empty place has the key 0, which is no section's.
        let key = ((u64::from(id.0) + 1) << 32) | ((at as u64) << 8) | u64::from(depth);
        let place =
            usize::from(id.0).wrapping_mul(37).wrapping_add(at * 5).wrapping_add(usize::from(depth) * 101);
        let place = &places[place % Self::PLACES];
        match place.get() {
            (known, ends) if known == key => ends,
            _ => {
                let ends = read();
                place.set((key, ends));
                ends
            }
        }
    }
}
