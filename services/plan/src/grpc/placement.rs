//! What staff do with networks, placements and prices.

use adfolio_kit::identity::{Caller, StaffRole};
use adfolio_kit::mirror::Mirrored as _;
use adfolio_kit::once::Once;
use adfolio_kit::wire::{self, List};
use adfolio_proto::plan::v1 as proto;
use adfolio_proto::plan::v1::placement_admin_service_server::PlacementAdminService;
use tonic::{Request, Response, Status};

use super::network::position;
use super::{StaffApi, map};
use crate::allotment::{offer, replay};
use crate::ids::NetworkId;
use crate::network::{self, NewNetwork, SupplyState};
use crate::placement;

/// Longest name of a network or a placement, in characters.
const LONGEST_NAME: usize = 100;

#[tonic::async_trait]
impl PlacementAdminService for StaffApi {
    async fn create_network(
        &self,
        request: Request<proto::CreateNetworkRequest>,
    ) -> Result<Response<proto::CreateNetworkResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[])?;
        let request = request.into_inner();
        let new = NewNetwork {
            name: wire::line(&request.name, LONGEST_NAME, "name")?,
            source: request.source,
            is_simulated: request.is_simulated,
            report_delay_seconds: request.report_delay_seconds,
        };
        let (network, key) = network::create(&self.0, &caller, staff.id, new).await?;
        Ok(Response::new(proto::CreateNetworkResponse {
            network: Some(network.into()),
            key: key.expose().to_owned(),
        }))
    }

    async fn edit_network(
        &self,
        request: Request<proto::EditNetworkRequest>,
    ) -> Result<Response<proto::EditNetworkResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[])?;
        let request = request.into_inner();
        let id = wire::id(&request.network_id, "network_id")?;
        let change = network::Change {
            name: map::changed_line(&request.name, LONGEST_NAME, "name")?,
            state: SupplyState::optional(request.state, "state")?,
            report_delay_seconds: request.report_delay_seconds,
        };
        let network = network::edit(&self.0, &caller, id, change, &request.reason).await?;
        Ok(Response::new(proto::EditNetworkResponse {
            network: Some(network.into()),
        }))
    }

    async fn list_networks(
        &self,
        request: Request<proto::ListNetworksRequest>,
    ) -> Result<Response<proto::ListNetworksResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let list = List::new(request.into_inner().page, "networks", &"")?;
        let rows = network::list(&self.0, list.before()?, list.fetch()).await?;
        let (networks, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListNetworksResponse {
            items: networks.into_iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn issue_network_key(
        &self,
        request: Request<proto::IssueNetworkKeyRequest>,
    ) -> Result<Response<proto::IssueNetworkKeyResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[])?;
        let request = request.into_inner();
        let id = wire::id(&request.network_id, "network_id")?;
        let (overlap, reason) = (request.overlap_seconds, &request.reason);
        let (network, key) =
            network::issue_key(&self.0, &caller, staff.id, id, overlap, reason).await?;
        Ok(Response::new(proto::IssueNetworkKeyResponse {
            network: Some(network.into()),
            key: key.expose().to_owned(),
        }))
    }

    async fn create_placement(
        &self,
        request: Request<proto::CreatePlacementRequest>,
    ) -> Result<Response<proto::CreatePlacementResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let once = Once::new::<proto::CreatePlacementResponse>(&caller, staff.id, &request);
        let network = wire::id(&request.network_id, "network_id")?;
        let details = placement::Details {
            name: wire::line(&request.name, LONGEST_NAME, "name")?,
            format: request.format,
            countries: request.countries,
            systems: request.systems,
            state: SupplyState::Active,
        };
        let answer = placement::create(&self.0, once, &caller, network, details).await?;
        Ok(Response::new(answer.into_message()?))
    }

    async fn edit_placement(
        &self,
        request: Request<proto::EditPlacementRequest>,
    ) -> Result<Response<proto::EditPlacementResponse>, Status> {
        let caller = Caller::from_request(&request);
        caller.require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let id = wire::id(&request.placement_id, "placement_id")?;
        let change = placement::Change {
            name: map::changed_line(&request.name, LONGEST_NAME, "name")?,
            format: (!request.format.is_empty()).then_some(request.format),
            countries: request.countries.map(|countries| countries.values),
            systems: request.systems.map(|systems| systems.values),
            state: SupplyState::optional(request.state, "state")?,
        };
        let placement = placement::edit(&self.0, &caller, id, change, &request.reason).await?;
        Ok(Response::new(proto::EditPlacementResponse {
            placement: Some((&placement).into()),
        }))
    }

    async fn list_placements(
        &self,
        request: Request<proto::ListPlacementsRequest>,
    ) -> Result<Response<proto::ListPlacementsResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let network = wire::filter_id(&request.network_id).map(NetworkId);
        let owner = network.map_or_else(|| "all".to_owned(), |network| network.to_string());
        let list = List::new(request.page, "placements", &owner)?;
        let rows = placement::list(&self.0, network, list.before()?, list.fetch()).await?;
        let (placements, next_cursor) = list.cut(rows, |last| last.id);
        Ok(Response::new(proto::ListPlacementsResponse {
            items: placements.iter().map(Into::into).collect(),
            next_cursor,
        }))
    }

    async fn set_placement_price(
        &self,
        request: Request<proto::SetPlacementPriceRequest>,
    ) -> Result<Response<proto::SetPlacementPriceResponse>, Status> {
        let caller = Caller::from_request(&request);
        let staff = caller.require_staff(&[StaffRole::Operator, StaffRole::Finance])?;
        let request = request.into_inner();
        let id = wire::id(&request.placement_id, "placement_id")?;
        let price = map::price(&request, staff.id)?;
        let placement = placement::set_price(&self.0, &caller, id, price).await?;
        Ok(Response::new(proto::SetPlacementPriceResponse {
            placement: Some((&placement).into()),
        }))
    }

    async fn export_allotments(
        &self,
        request: Request<proto::ExportAllotmentsRequest>,
    ) -> Result<Response<proto::ExportAllotmentsResponse>, Status> {
        Caller::from_request(&request).require_staff(&[StaffRole::Operator])?;
        let request = request.into_inner();
        let id = wire::id(&request.network_id, "network_id")?;
        let network = network::find(&self.0, id).await?;
        let after = position(&self.0, network.id, &request.after).await?;
        let offers = offer::list(&self.0, network.id, after, offer::MOST).await?;
        Ok(Response::new(proto::ExportAllotmentsResponse {
            items: offers.into_iter().map(Into::into).collect(),
        }))
    }

    async fn get_allotment_decision(
        &self,
        request: Request<proto::GetAllotmentDecisionRequest>,
    ) -> Result<Response<proto::GetAllotmentDecisionResponse>, Status> {
        Caller::from_request(&request).require_staff(StaffRole::ALL)?;
        let request = request.into_inner();
        let at = wire::instant(request.at, "at")?;
        let stored = replay::find(&self.0, &request.plan_number, at).await?;
        Ok(Response::new(stored.into()))
    }
}
