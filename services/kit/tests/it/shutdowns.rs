//! How the time of a shutdown is divided.

use std::time::Duration;

use adfolio_kit::config::ServerArgs;
use adfolio_kit::shutdown::EndPlan;

#[test]
fn every_part_gives_up_before_the_process_must_be_gone() {
    for seconds in 1..=600 {
        let limit = Duration::from_secs(seconds);
        let plan = EndPlan::within(limit);
        assert!(plan.calls >= limit / 2, "{plan:?}");
        assert!(plan.calls <= plan.tasks, "{plan:?}");
        assert!(plan.tasks < plan.last, "{plan:?}");
        assert!(plan.last < plan.exit, "{plan:?}");
        assert_eq!(plan.exit, limit);
    }
    let usual = ServerArgs::default().end_plan();
    assert_eq!(usual.exit, Duration::from_secs(20));
}
