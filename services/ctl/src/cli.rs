//! The command line.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::placement::PlacementCommand;
use crate::services::{Addresses, Services};
use crate::{
    acceptor, approval, audit, broker, content, coupon, dead_letter, delivery, demo, exchange,
    feedback, host, license, mail, network, notice, operator, pay_password, placement, plan,
    product, setup, source, staff, today, user, verify, wallet, withdraw, witness,
};

/// Operates Adfolio.
#[derive(Debug, Parser)]
#[command(name = "adfolioctl", version, arg_required_else_help = true)]
pub struct Cli {
    #[command(flatten)]
    addresses: Addresses,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Staff accounts
    #[command(subcommand)]
    Staff(staff::StaffCommand),
    /// Licence keys
    #[command(subcommand)]
    License(license::LicenseCommand),
    /// Hosts that vouch for their users
    #[command(subcommand)]
    Host(host::HostCommand),
    /// Users
    #[command(subcommand)]
    User(user::UserCommand),
    /// Transaction passwords
    #[command(subcommand)]
    PayPassword(pay_password::PayPasswordCommand),
    /// Postings of staff, and checks of the ledger
    #[command(subcommand)]
    Wallet(wallet::WalletCommand),
    /// Verifies a statement against signed checkpoints, without a connection; exits with 1 if anything is broken
    Verify(verify::Verify),
    /// Follows the checkpoints of an installation from outside; exits with 1 if its history was rewritten
    Witness(witness::Witness),
    /// Withdrawals
    #[command(subcommand)]
    Withdraw(withdraw::WithdrawCommand),
    /// Requests by staff that another member of staff must approve
    #[command(subcommand)]
    Approval(approval::ApprovalCommand),
    /// Products
    #[command(subcommand)]
    Product(product::ProductCommand),
    /// Proxy operators
    #[command(subcommand)]
    Operator(operator::OperatorCommand),
    /// Plans
    #[command(subcommand)]
    Plan(Box<plan::PlanCommand>),
    /// Networks, which show advertisements on their placements
    #[command(subcommand)]
    Network(network::NetworkCommand),
    /// Placements and their prices, and the algorithm that places plans on them
    #[command(subcommand)]
    Placement(placement::PlacementCommand),
    /// Who may report delivery
    #[command(subcommand)]
    Source(source::SourceCommand),
    /// Delivery reports
    #[command(subcommand)]
    Delivery(delivery::DeliveryCommand),
    /// Coupons and their campaigns
    #[command(subcommand)]
    Coupon(coupon::CouponCommand),
    /// Acceptors of foreign exchange and their codes
    #[command(subcommand)]
    Acceptor(acceptor::AcceptorCommand),
    /// Exchange orders
    #[command(subcommand)]
    Exchange(exchange::ExchangeCommand),
    /// Notifications to users
    #[command(subcommand)]
    Notice(notice::NoticeCommand),
    /// Mail to users
    #[command(subcommand)]
    Mail(mail::MailCommand),
    /// Users' feedback
    #[command(subcommand)]
    Feedback(feedback::FeedbackCommand),
    /// Texts that staff edit
    #[command(subcommand)]
    Content(content::ContentCommand),
    /// The audit log
    #[command(subcommand)]
    Audit(audit::AuditCommand),
    /// What waits for a person
    Today(today::Today),
    /// Dead letters: events that a consumer could not process
    Dead(dead_letter::DeadArgs),
    /// Members of queues and streams on the nodes of RabbitMQ
    Broker(broker::BrokerCommand),
    /// Demo data, and a network for it
    #[command(subcommand)]
    Demo(demo::DemoCommand),
    /// Creates the first member of staff and optionally the demo data, once the services answer
    Setup(setup::Setup),
}

impl Cli {
    /// Runs the requested command.
    pub async fn run(self) -> anyhow::Result<ExitCode> {
        // These need no service.
        let command = match self.command {
            Command::Verify(verify) => return Ok(verify.run()),
            Command::Witness(witness) => return witness.run().await,
            Command::Broker(command) => return command.run().await,
            Command::Placement(PlacementCommand::Trial(command)) => return command.run(),
            command => command,
        };
        let services = Services::connect(&self.addresses)?;
        let done = match command {
            Command::Verify(_)
            | Command::Witness(_)
            | Command::Broker(_)
            | Command::Placement(PlacementCommand::Trial(_)) => Ok(()),
            // These have exit codes of their own.
            Command::Staff(command) => return command.run(&services).await,
            Command::Wallet(command) => return command.run(&services).await,
            Command::Audit(command) => return command.run(&services).await,
            Command::Delivery(command) => return command.run(&services).await,
            Command::Today(today) => return Ok(today.run(&services).await),
            Command::Dead(arguments) => return arguments.run().await,
            Command::Demo(command) => return command.run(&services).await,
            Command::Setup(setup) => return setup.run(&services).await,
            Command::License(command) => command.run(&services).await,
            Command::Host(command) => command.run(&services).await,
            Command::User(command) => command.run(&services).await,
            Command::PayPassword(command) => command.run(&services).await,
            Command::Withdraw(command) => command.run(&services).await,
            Command::Approval(command) => command.run(&services).await,
            Command::Product(command) => command.run(&services).await,
            Command::Operator(command) => command.run(&services).await,
            Command::Network(command) => command.run(&services).await,
            Command::Placement(PlacementCommand::Supply(command)) => command.run(&services).await,
            Command::Placement(PlacementCommand::Replay(replay)) => {
                return replay.run(&services).await;
            }
            Command::Plan(command) => command.run(&services).await,
            Command::Source(command) => command.run(&services).await,
            Command::Coupon(command) => command.run(&services).await,
            Command::Acceptor(command) => command.run(&services).await,
            Command::Exchange(command) => command.run(&services).await,
            Command::Notice(command) => command.run(&services).await,
            Command::Mail(command) => command.run(&services).await,
            Command::Feedback(command) => command.run(&services).await,
            Command::Content(command) => command.run(&services).await,
        };
        done.map(|()| ExitCode::SUCCESS)
    }
}
