//! The daily budget: calls, tokens and cost per person and per tenant (`docs/design/0033-access-and-limits.md`).
//!
//! A call is counted before it is made, with the most it may cost, and corrected afterwards. So concurrent calls
//! cannot pass a cap together; at most one goes over. Counted in this process, by the day of UTC.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use throughline_engine::Timestamp;

use crate::Caller;

/// Caps of one day; `None` is no cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cap {
    /// Requests to vendors.
    pub calls: Option<u64>,
    /// Tokens in and out.
    pub tokens: Option<u64>,
    /// Cost, in hundredths of the currency of the prices.
    pub cost: Option<u64>,
}

/// Caps for each person and for each tenant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// For each person.
    pub user: Cap,
    /// For each tenant.
    pub tenant: Cap,
}

/// The price of a million tokens, in hundredths of a currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price {
    /// The price of tokens sent.
    pub input: u64,
    /// The price of tokens received.
    pub output: u64,
}

impl Price {
    /// The amount for one call with so many tokens.
    pub(crate) fn of(self, input: u64, output: u64) -> Amount {
        Amount {
            calls: 1,
            tokens: input.saturating_add(output),
            millionths: input.saturating_mul(self.input).saturating_add(output.saturating_mul(self.output)),
        }
    }
}

/// An amount of calls, tokens and cost. Cost is in millionths of a hundredth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Amount {
    calls: u64,
    tokens: u64,
    millionths: u64,
}

impl Amount {
    fn plus(self, more: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(more.calls),
            tokens: self.tokens.saturating_add(more.tokens),
            millionths: self.millionths.saturating_add(more.millionths),
        }
    }

    fn minus(self, less: Self) -> Self {
        Self {
            calls: self.calls.saturating_sub(less.calls),
            tokens: self.tokens.saturating_sub(less.tokens),
            millionths: self.millionths.saturating_sub(less.millionths),
        }
    }

    fn reached(self, cap: Cap) -> bool {
        let over = |spent: u64, cap: Option<u64>| cap.is_some_and(|cap| spent >= cap);
        let cost = cap.cost.map(|cost| cost.saturating_mul(1_000_000));
        over(self.calls, cap.calls) || over(self.tokens, cap.tokens) || over(self.millionths, cost)
    }
}

/// An account: a person of a tenant, or the tenant as a whole.
type Account = (String, Option<String>);

/// The caps, and what was spent today.
pub(crate) struct Budget {
    caps: Caps,
    day: Mutex<Day>,
}

#[derive(Default)]
struct Day {
    number: i64,
    spent: HashMap<Account, Amount>,
}

/// A call that is counted with an estimate.
pub(crate) struct Reserved {
    who: [Account; 2],
    day: i64,
    estimate: Amount,
}

/// Spending for a tenant on one day of UTC, by this process, and its cap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Today {
    /// Requests to vendors.
    pub calls: u64,
    /// Tokens in and out.
    pub tokens: u64,
    /// Cost in hundredths of the currency of the prices, rounded up.
    pub cost: u64,
    /// The tenant's cap.
    pub cap: Cap,
}

impl Budget {
    pub(crate) fn new(caps: Caps) -> Self {
        Self { caps, day: Mutex::default() }
    }

    /// Returns what was spent for a tenant on the day of `now`.
    pub(crate) fn today(&self, tenant: &str, now: Timestamp) -> Today {
        let day = self.day();
        let current = day.number == now.0.div_euclid(Timestamp::DAY);
        let spent =
            day.spent.get(&(tenant.to_owned(), None)).filter(|_| current).copied().unwrap_or_default();
        let cost = spent.millionths.div_ceil(1_000_000);
        Today { calls: spent.calls, tokens: spent.tokens, cost, cap: self.caps.tenant }
    }

    /// Counts a call that may cost `estimate`. `None` if a cap is reached and the call must not be made.
    pub(crate) fn reserve(&self, caller: &Caller<'_>, estimate: Amount) -> Option<Reserved> {
        let today = caller.now.0.div_euclid(Timestamp::DAY);
        let who =
            [(caller.tenant.to_owned(), Some(caller.user.to_owned())), (caller.tenant.to_owned(), None)];
        let mut day = self.day();
        if day.number < today {
            *day = Day { number: today, spent: HashMap::new() };
        }
        let spent = |who: &Account| day.spent.get(who).copied().unwrap_or_default();
        if spent(&who[0]).reached(self.caps.user) || spent(&who[1]).reached(self.caps.tenant) {
            return None;
        }
        for one in &who {
            let spent = day.spent.entry(one.clone()).or_default();
            *spent = spent.plus(estimate);
        }
        Some(Reserved { who, day: day.number, estimate })
    }

    /// Replaces the estimate by the actual amount.
    pub(crate) fn settle(&self, reserved: Reserved, actual: Amount) {
        let mut day = self.day();
        if day.number != reserved.day {
            return;
        }
        for one in reserved.who {
            let spent = day.spent.entry(one).or_default();
            *spent = spent.minus(reserved.estimate).plus(actual);
        }
    }

    fn day(&self) -> MutexGuard<'_, Day> {
        self.day.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use throughline_engine::EffectId;

    use super::*;
    use crate::Spent;

    fn admitted(budget: &Budget, tenant: &str, user: &str, now: i64, price: Price, tokens: u64) -> bool {
        let effect = EffectId("fx_1".into());
        let caller = Caller {
            tenant,
            user,
            effect: &effect,
            now: Timestamp(now),
            spent: &Spent::default(),
            onlooker: None,
        };
        let Some(reserved) = budget.reserve(&caller, price.of(tokens, 0)) else { return false };
        budget.settle(reserved, price.of(tokens, 0));
        true
    }

    /// An endless loop stops at the cap, for the person and for the tenant, and starts again with the next day.
    #[test]
    fn a_runaway_loop_stops_at_the_cap() {
        let cap = |calls| Cap { calls: Some(calls), ..Cap::default() };
        let budget = Budget::new(Caps { user: cap(5), tenant: cap(12) });
        let asks = |tenant: &str, user: &str, now| {
            (0..100).filter(|_| admitted(&budget, tenant, user, now, Price::default(), 1)).count()
        };
        assert_eq!((asks("acme", "ana", 0), asks("acme", "ana", 0)), (5, 0));
        assert_eq!((asks("acme", "bob", 0), asks("acme", "cyd", 0)), (5, 2), "the tenant's cap");
        assert_eq!(asks("other", "ana", 0), 5, "a person of another tenant is another person");
        assert_eq!(asks("acme", "ana", Timestamp::DAY - 1), 0);
        assert_eq!(asks("acme", "ana", Timestamp::DAY), 5, "another day");
        assert_eq!(asks("acme", "ana", 0), 0, "the day does not go back");
    }

    #[test]
    fn tokens_and_cost_go_over_by_one_call_at_most() {
        let tokens =
            Budget::new(Caps { user: Cap { tokens: Some(1_000), ..Cap::default() }, ..Caps::default() });
        let made = (0..100).filter(|_| admitted(&tokens, "a", "u", 0, Price::default(), 300)).count();
        assert_eq!(made, 4, "300, 600, 900, and one over");
        // 250 hundredths a million tokens: 300 tokens are 0.075 of a hundredth.
        let price = Price { input: 250, output: 0 };
        let cost = Budget::new(Caps { tenant: Cap { cost: Some(1), ..Cap::default() }, ..Caps::default() });
        let made = (0..100).filter(|_| admitted(&cost, "a", "u", 0, price, 300)).count();
        assert_eq!(made, 14);
    }

    /// Calls at once are all counted before any has ended.
    #[test]
    fn calls_in_flight_count() {
        let budget =
            Budget::new(Caps { user: Cap { tokens: Some(1_000), ..Cap::default() }, ..Caps::default() });
        let effect = EffectId("fx_1".into());
        let caller = Caller {
            tenant: "a",
            user: "u",
            effect: &effect,
            now: Timestamp(0),
            spent: &Spent::default(),
            onlooker: None,
        };
        let estimate = Price::default().of(100, 900);
        let first = budget.reserve(&caller, estimate).unwrap();
        assert!(budget.reserve(&caller, estimate).is_none());
        budget.settle(first, Price::default().of(100, 10));
        assert!(budget.reserve(&caller, estimate).is_some());
    }
}
