use adfolio_placement::simulation::fraud::{Guard, Terms, run};
use adfolio_placement::simulation::learning::World;
use adfolio_placement::simulation::spread::Spread;
use rand::SeedableRng as _;
use rand::rngs::StdRng;

const TERMS: Terms = Terms {
    impressions: 100_000,
    update: 1_000,
    bot_rate: 0.03,
};

/// The share of the placement with the bots over ten worlds of 34 placements.
fn share(guard: Guard) -> Spread {
    Spread::of((0..10).map(|seed| {
        let mut random = StdRng::seed_from_u64(seed);
        let world = World::draw(&[9.0; 34], &[3_000.0; 34], &mut random).unwrap();
        run(&world, guard, &TERMS, &mut random).share
    }))
}

#[test]
fn without_a_gate_bots_take_nearly_everything() {
    let (nothing, limits) = (share(Guard::Nothing), share(Guard::Limits));
    assert!(nothing.median > 0.9, "{nothing:?}");
    assert!((0.3..=0.41).contains(&limits.median), "{limits:?}");
}

#[test]
fn with_the_gate_bots_get_next_to_nothing() {
    let share = share(Guard::Gate);
    assert!(share.median <= 0.05, "{share:?}");
}
