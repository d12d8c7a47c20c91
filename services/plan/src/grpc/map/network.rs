//! Allotments and networks' reports, to the wire.

use adfolio_kit::mirror::Mirrored as _;
use adfolio_proto::plan::v1 as proto;

use super::delivery::rejected;
use crate::allotment::offer::Offer;
use crate::allotment::replay::Stored;
use crate::delivery::lines::Taken;
use crate::product::entity::Creative;

impl From<Creative> for proto::Creative {
    fn from(creative: Creative) -> Self {
        Self {
            title: creative.title,
            picture_url: creative.picture_url,
            destination_url: creative.destination_url,
        }
    }
}

impl From<Offer> for proto::Allotment {
    fn from(offer: Offer) -> Self {
        Self {
            id: offer.id.to_string(),
            plan_number: offer.plan_number,
            placement_id: offer.placement_id.to_string(),
            placement_name: offer.placement_name,
            budget_micros: offer.budget.get(),
            units: offer.units,
            model: offer.model.to_wire(),
            cost_micros: offer.cost.get(),
            revenue_micros: offer.revenue.get(),
            from: Some(offer.begins_at.into()),
            to: Some(offer.ends_at.into()),
            report_until: Some(offer.closes_at.into()),
            creative: Some(offer.creative.into()),
        }
    }
}

impl From<Taken> for proto::ReportNetworkDeliveryResponse {
    fn from(taken: Taken) -> Self {
        let summary = taken.summary;
        Self {
            read: summary.read,
            applied: summary.applied,
            repeated_reports: summary.repeated,
            restated: summary.restated,
            rejected: rejected(summary.rejected),
            rejected_count: summary.rejected_count,
            held: rejected(summary.held),
            sha256: hex::encode(taken.sha256),
            quarantined: rejected(summary.quarantined),
            quarantined_count: summary.quarantined_count,
        }
    }
}

impl From<Stored> for proto::GetAllotmentDecisionResponse {
    fn from(stored: Stored) -> Self {
        Self {
            from: Some(stored.begins_at.into()),
            to: Some(stored.ends_at.into()),
            placements: stored.placements,
            menu_json: stored.menu,
            shares: stored.shares,
            shape_json: stored.shape,
            inputs_json: stored.inputs,
            decision_json: stored.decision,
        }
    }
}
