//! Networks, their placements, and what these cost and earn.

use adfolio_kit::refusal::Reason;
use adfolio_proto::plan::v1 as plan;

use crate::call::{Call, send};
use crate::dto::supply::{
    CreateNetworkRequest, CreatePlacementRequest, EditNetworkRequest, EditPlacementRequest,
    IssueNetworkKeyRequest, Network, NetworkWithKey, Placement, PlacementListQuery,
    PlacementPriceRequest,
};
use crate::dto::{Decode, Page, PageQuery, page};
use crate::errors::Failure;
use crate::input::{Json, Query};
use crate::messages::Success;
use crate::route::{ADMIN, ANY_ROLE, FINANCE_AND_OPERATOR, OPERATOR, Route};

/// The routes of this area.
pub fn routes() -> Vec<Route> {
    let mut routes = network_routes();
    routes.extend(placement_routes());
    routes
}

fn network_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/network/create",
            "createNetwork",
            "Registers a network and issues its first key, which is shown only here.",
            create_network,
        )
        .staff(ADMIN)
        .says(Success::Submission),
        Route::post(
            "/admin/network/edit",
            "editNetwork",
            "Changes a network, or pauses placing plans on it.",
            edit_network,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::get(
            "/admin/network/list",
            "listNetworks",
            "Networks with their valid keys, newest first.",
            networks,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/network/key",
            "issueNetworkKey",
            "Issues a further key of a network, which is shown only here; its earlier keys end after an overlap.",
            issue_key,
        )
        .staff(ADMIN)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
    ]
}

fn placement_routes() -> Vec<Route> {
    vec![
        Route::post(
            "/admin/placement/create",
            "createPlacement",
            "Creates a placement of a network. Nothing is placed on it before it has a price.",
            create_placement,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound])
        .says(Success::Submission)
        .keyed(),
        Route::post(
            "/admin/placement/edit",
            "editPlacement",
            "Changes a placement, or pauses placing plans on it.",
            edit_placement,
        )
        .staff(OPERATOR)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
        Route::get(
            "/admin/placement/list",
            "listPlacements",
            "Placements with their prices, newest first.",
            placements,
        )
        .staff(ANY_ROLE),
        Route::post(
            "/admin/placement/price",
            "setPlacementPrice",
            "Sets what a placement costs and earns from a time on. Where four eyes are asked for, the price is proposed until \
             another member of staff sets the same, and holds from then on at the earliest.",
            set_price,
        )
        .staff(FINANCE_AND_OPERATOR)
        .fails(&[Reason::NotFound])
        .says(Success::Update),
    ]
}

async fn create_network(
    call: Call,
    Json(request): Json<CreateNetworkRequest>,
) -> Result<NetworkWithKey, Failure> {
    let message = plan::CreateNetworkRequest {
        name: request.name,
        source: request.source,
        is_simulated: request.simulated.unwrap_or(false),
        report_delay_seconds: request.report_delay_seconds,
    };
    let response = send!(call.writing(), placement_admin.create_network, message).await?;
    NetworkWithKey::decode(response.network, response.key)
}

async fn edit_network(
    call: Call,
    Json(request): Json<EditNetworkRequest>,
) -> Result<Network, Failure> {
    let message = plan::EditNetworkRequest {
        network_id: request.network_id,
        name: request.name.unwrap_or_default(),
        state: request.state.map(Into::into).unwrap_or_default(),
        report_delay_seconds: request.report_delay_seconds,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), placement_admin.edit_network, message).await?;
    Network::decode(response.network, "network")
}

async fn networks(call: Call, Query(query): Query<PageQuery>) -> Result<Page<Network>, Failure> {
    let message = plan::ListNetworksRequest {
        page: query.into_page(),
    };
    let response = send!(call.reading(), placement_admin.list_networks, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn issue_key(
    call: Call,
    Json(request): Json<IssueNetworkKeyRequest>,
) -> Result<NetworkWithKey, Failure> {
    let message = plan::IssueNetworkKeyRequest {
        network_id: request.network_id,
        overlap_seconds: request.overlap_seconds,
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), placement_admin.issue_network_key, message).await?;
    NetworkWithKey::decode(response.network, response.key)
}

async fn create_placement(
    call: Call,
    Json(request): Json<CreatePlacementRequest>,
) -> Result<Placement, Failure> {
    let message = plan::CreatePlacementRequest {
        network_id: request.network_id,
        name: request.name,
        format: request.format,
        countries: request.countries.unwrap_or_default(),
        systems: request.systems.unwrap_or_default(),
    };
    let response = send!(call.writing(), placement_admin.create_placement, message).await?;
    Placement::decode(response.placement, "placement")
}

async fn edit_placement(
    call: Call,
    Json(request): Json<EditPlacementRequest>,
) -> Result<Placement, Failure> {
    let texts = |values: Option<Vec<String>>| values.map(|values| plan::Texts { values });
    let message = plan::EditPlacementRequest {
        placement_id: request.placement_id,
        name: request.name.unwrap_or_default(),
        format: request.format.unwrap_or_default(),
        countries: texts(request.countries),
        systems: texts(request.systems),
        state: request.state.map(Into::into).unwrap_or_default(),
        reason: request.reason.unwrap_or_default(),
    };
    let response = send!(call.writing(), placement_admin.edit_placement, message).await?;
    Placement::decode(response.placement, "placement")
}

async fn placements(
    call: Call,
    Query(query): Query<PlacementListQuery>,
) -> Result<Page<Placement>, Failure> {
    let message = plan::ListPlacementsRequest {
        page: page(query.cursor, query.limit),
        network_id: query.network_id.unwrap_or_default(),
    };
    let response = send!(call.reading(), placement_admin.list_placements, message).await?;
    Page::from_proto(response.items, response.next_cursor)
}

async fn set_price(
    call: Call,
    Json(request): Json<PlacementPriceRequest>,
) -> Result<Placement, Failure> {
    let message = plan::SetPlacementPriceRequest {
        placement_id: request.placement_id,
        model: request.model.into(),
        cost: request.cost.as_str().to_owned(),
        revenue: request.revenue.as_str().to_owned(),
        valid_from: Some(request.valid_from.into_proto()),
    };
    let response = send!(call.writing(), placement_admin.set_placement_price, message).await?;
    Placement::decode(response.placement, "placement")
}
