//! Sagas under a model checker: every order in which calls may be lost, repeated, late or refused,
//! and processes may die.
//!
//! A service implements [`Saga`]: how it drives one row and what its peers guarantee; the
//! transitions of the rows should be the production code. [`Checked`] is the world around it, for
//! stateright: a lease per row that may expire early, calls that stay in flight for as long as the
//! checker likes, lost answers. [`Trouble`] limits how often each fault may occur, which keeps the
//! number of states finite. Within it, [`Saga::is_safe`] must hold at every moment, and
//! [`Saga::has_ended`] where nothing more can happen.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, HasDiscoveries, Model, Property};

/// The next step of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next<C> {
    /// A call to a peer.
    Call(C),
    /// A write, with the answer to the step's last call.
    Write,
    /// Nothing.
    Rest,
}

/// How a service drives its rows, and what its peers guarantee.
pub trait Saga: Send + Sync + 'static {
    /// What the service stores of a saga.
    type Row: Clone + Debug + Eq + Hash + Send + Sync;
    /// A call to a peer. It carries whatever makes repeats recognisable.
    type Call: Clone + Debug + Ord + Hash + Send + Sync;
    /// The answer of a peer.
    type Answer: Clone + Debug + Eq + Hash + Send + Sync;
    /// What the peers store.
    type Peers: Clone + Debug + Eq + Hash + Send + Sync;

    /// The rows as just written by their callers, and the initial peers.
    fn beginning(&self) -> (Vec<Self::Row>, Self::Peers);
    /// The next step of a row, after this many answered calls of its present step.
    fn next(&self, row: &Self::Row, calls: usize) -> Next<Self::Call>;
    /// The change made by taking the lease.
    fn claimed(&self, row: &mut Self::Row);
    /// A peer executes a call, at any time and from any drive.
    fn perform(&self, peers: &mut Self::Peers, call: &Self::Call) -> Self::Answer;
    /// What the service writes after the answer; no answer for a step without a call. `in_doubt` if
    /// this drive has sent the call before without getting an answer.
    fn written(&self, row: &Self::Row, answer: Option<&Self::Answer>, in_doubt: bool) -> Self::Row;
    /// The changes that people or time may make to a row at any moment, under any drive.
    fn decisions(&self, _row: &Self::Row) -> Vec<Self::Row> {
        Vec::new()
    }
    /// What must hold at every moment.
    fn is_safe(&self, rows: &[Self::Row], peers: &Self::Peers) -> bool;
    /// What must hold where nothing more can happen.
    fn has_ended(&self, rows: &[Self::Row], peers: &Self::Peers) -> bool;
}

/// How often each fault may occur in one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trouble {
    /// Processes die: every drive and every answer is gone; sent calls still arrive.
    pub crashes: u8,
    /// A caller stops waiting for a call in flight, and sends it again or leaves the row to another
    /// drive.
    pub impatience: u8,
    /// A call whose answer is lost arrives once more. Calls go over TCP, each sent once: no copy is
    /// left of an answered one.
    pub repeats: u8,
    /// The lease of a slow drive expires, and another drive takes the row as well.
    pub overtakings: u8,
}

impl Trouble {
    /// For one saga, whose every state can be explored.
    pub const MUCH: Self = Self {
        crashes: 2,
        impatience: 2,
        repeats: 1,
        overtakings: 1,
    };

    /// For two sagas at once, which have some hundred thousand states.
    pub const SOME: Self = Self {
        crashes: 2,
        impatience: 1,
        repeats: 0,
        overtakings: 0,
    };
}

/// The world around a saga.
#[derive(Debug)]
pub struct Checked<S> {
    /// The saga.
    pub saga: S,
    /// The faults.
    pub trouble: Trouble,
}

/// A state of the world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Moment<R, C: Ord, A, P> {
    rows: Vec<R>,
    peers: P,
    drives: Vec<Drive<R, C, A>>,
    /// How many copies of a call may still arrive.
    under_way: BTreeMap<C, u8>,
    trouble: Trouble,
}

/// A process that drives a row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Drive<R, C, A> {
    of: usize,
    /// The row as last read or written by this drive.
    row: R,
    holds_lease: bool,
    /// Answered calls of the present step.
    calls: usize,
    in_doubt: bool,
    phase: Phase<C, A>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Phase<C, A> {
    Working,
    Waiting(C),
    Answered(A),
}

/// What can happen next.
#[derive(Clone, Debug, PartialEq)]
pub enum Action<C> {
    /// A drive takes a row.
    Claim(usize),
    /// A drive sends its call, or writes.
    Proceed(usize),
    /// A call arrives at its peer; the answer reaches this drive, or nobody, in which case the call
    /// may arrive again.
    Arrive(C, Option<usize>, bool),
    /// A drive stops waiting, and gives up the row or retries.
    GiveUp(usize, bool),
    /// Every process dies.
    Crash,
    /// Somebody decides about a row.
    Decide(usize, usize),
}

type MomentOf<S> =
    Moment<<S as Saga>::Row, <S as Saga>::Call, <S as Saga>::Answer, <S as Saga>::Peers>;

impl<S: Saga> Checked<S> {
    /// Explores every reachable state; panics with the path to the first forbidden one. Returns the
    /// number of states.
    pub fn check(self) -> usize {
        let checker = self.checker().threads(2).spawn_bfs().join();
        checker.assert_properties();
        checker.unique_state_count()
    }

    /// Whether a forbidden state is reachable: for peers or rows that are broken on purpose.
    pub fn has_counterexample(self) -> bool {
        let checker = self.checker().finish_when(HasDiscoveries::Any);
        let checker = checker.threads(2).spawn_bfs().join();
        !checker.discoveries().is_empty()
    }

    fn is_claimable(&self, moment: &MomentOf<S>, of: usize) -> bool {
        let needs_work = moment
            .rows
            .get(of)
            .is_some_and(|row| self.saga.next(row, 0) != Next::Rest);
        let mut drives = moment.drives.iter().filter(|drive| drive.of == of);
        needs_work
            && match drives.clone().count() {
                0 => true,
                1 => !drives.any(|drive| drive.holds_lease) || moment.trouble.overtakings > 0,
                // A third drive adds nothing to two.
                _ => false,
            }
    }

    fn claim(&self, moment: &mut MomentOf<S>, of: usize) -> Option<()> {
        for drive in &mut moment.drives {
            if drive.of == of && drive.holds_lease {
                drive.holds_lease = false;
                moment.trouble.overtakings -= 1;
            }
        }
        let row = moment.rows.get_mut(of)?;
        self.saga.claimed(row);
        let row = row.clone();
        moment.drives.push(Drive {
            of,
            row,
            holds_lease: true,
            calls: 0,
            in_doubt: false,
            phase: Phase::Working,
        });
        Some(())
    }

    /// Sends the next call, or writes the result of the answer. A drive without the lease notices
    /// that when it writes.
    fn proceed(&self, moment: &mut MomentOf<S>, place: usize) -> Option<()> {
        let drive = moment.drives.get_mut(place)?;
        let answer = match &drive.phase {
            Phase::Answered(answer) => {
                drive.calls += 1;
                Some(answer.clone())
            }
            Phase::Working => None,
            Phase::Waiting(_) => return None,
        };
        if let Next::Call(call) = self.saga.next(&drive.row, drive.calls) {
            *moment.under_way.entry(call.clone()).or_default() += 1;
            drive.phase = Phase::Waiting(call);
            return Some(());
        }
        if !drive.holds_lease {
            moment.drives.remove(place);
            return Some(());
        }
        drive.row = self
            .saga
            .written(&drive.row, answer.as_ref(), drive.in_doubt);
        drive.phase = Phase::Working;
        drive.calls = 0;
        drive.in_doubt = false;
        let (of, row) = (drive.of, drive.row.clone());
        let is_done = self.saga.next(&row, 0) == Next::Rest;
        *moment.rows.get_mut(of)? = row;
        if is_done {
            moment.drives.remove(place);
        }
        Some(())
    }

    fn actions_of_drive(moment: &MomentOf<S>, place: usize, actions: &mut Vec<Action<S::Call>>) {
        let Some(drive) = moment.drives.get(place) else {
            return;
        };
        match &drive.phase {
            Phase::Working | Phase::Answered(_) => actions.push(Action::Proceed(place)),
            Phase::Waiting(call) => {
                // A lost call is never answered.
                if !moment.under_way.contains_key(call) || moment.trouble.impatience > 0 {
                    actions.push(Action::GiveUp(place, true));
                    actions.push(Action::GiveUp(place, false));
                }
            }
        }
    }

    fn actions_of_call(moment: &MomentOf<S>, call: &S::Call, actions: &mut Vec<Action<S::Call>>) {
        for (place, drive) in moment.drives.iter().enumerate() {
            if matches!(&drive.phase, Phase::Waiting(awaited) if awaited == call) {
                actions.push(Action::Arrive(call.clone(), Some(place), false));
            }
        }
        // Or the answer is lost, or nobody waits for it any more.
        actions.push(Action::Arrive(call.clone(), None, false));
        if moment.trouble.repeats > 0 {
            actions.push(Action::Arrive(call.clone(), None, true));
        }
    }
}

impl<S: Saga> Model for Checked<S> {
    type State = MomentOf<S>;
    type Action = Action<S::Call>;

    fn init_states(&self) -> Vec<Self::State> {
        let (rows, peers) = self.saga.beginning();
        vec![Moment {
            rows,
            peers,
            drives: Vec::new(),
            under_way: BTreeMap::new(),
            trouble: self.trouble,
        }]
    }

    fn actions(&self, moment: &Self::State, actions: &mut Vec<Self::Action>) {
        for (of, row) in moment.rows.iter().enumerate() {
            if self.is_claimable(moment, of) {
                actions.push(Action::Claim(of));
            }
            let decisions = self.saga.decisions(row).len();
            actions.extend((0..decisions).map(|choice| Action::Decide(of, choice)));
        }
        for place in 0..moment.drives.len() {
            Self::actions_of_drive(moment, place, actions);
        }
        for call in moment.under_way.keys() {
            Self::actions_of_call(moment, call, actions);
        }
        if moment.trouble.crashes > 0 && !moment.drives.is_empty() {
            actions.push(Action::Crash);
        }
    }

    fn next_state(&self, before: &Self::State, action: Self::Action) -> Option<Self::State> {
        let mut moment = before.clone();
        match action {
            Action::Claim(of) => self.claim(&mut moment, of)?,
            Action::Proceed(place) => self.proceed(&mut moment, place)?,
            Action::Arrive(call, to, again) => {
                let answer = self.saga.perform(&mut moment.peers, &call);
                if again {
                    moment.trouble.repeats -= 1;
                } else if let Entry::Occupied(mut copies) = moment.under_way.entry(call) {
                    *copies.get_mut() -= 1;
                    if *copies.get() == 0 {
                        copies.remove();
                    }
                }
                if let Some(place) = to {
                    moment.drives.get_mut(place)?.phase = Phase::Answered(answer);
                }
            }
            Action::GiveUp(place, is_final) => {
                let drive = moment.drives.get_mut(place)?;
                if matches!(&drive.phase, Phase::Waiting(call) if moment.under_way.contains_key(call))
                {
                    moment.trouble.impatience -= 1;
                }
                drive.in_doubt = true;
                drive.phase = Phase::Working;
                if is_final {
                    moment.drives.remove(place);
                }
            }
            Action::Crash => {
                moment.trouble.crashes -= 1;
                moment.drives.clear();
            }
            Action::Decide(of, choice) => {
                let row = moment.rows.get_mut(of)?;
                *row = self.saga.decisions(row).into_iter().nth(choice)?;
                // A decision takes the lease as well.
                for drive in &mut moment.drives {
                    if drive.of == of {
                        drive.holds_lease = false;
                    }
                }
            }
        }
        Some(moment)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always("safe", |model, moment: &MomentOf<S>| {
                model.saga.is_safe(&moment.rows, &moment.peers)
            }),
            Property::always("ended", |model, moment: &MomentOf<S>| {
                let mut actions = Vec::new();
                model.actions(moment, &mut actions);
                // A call that never arrives was lost.
                let is_over = actions
                    .iter()
                    .all(|action| matches!(action, Action::Arrive(_, None, _)));
                !is_over || model.saga.has_ended(&moment.rows, &moment.peers)
            }),
        ]
    }
}
