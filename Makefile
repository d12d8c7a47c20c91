# Adfolio on this machine. `make help` lists the targets; the scripts in deploy/local do the work.

SCRIPTS := deploy/local
.DEFAULT_GOAL := help
.PHONY: help up down status cluster-up cluster-down cluster-status cluster-faults cluster-test backup restore test bench scale-test upgrade-test chaos failover outage crash-points defects build fmt lint test-rust test-web web-matrix api-fuzz e2e deny sbom observability manifests migrations fuzz

help: ## List the targets
	@echo "Adfolio"
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make up reads ADFOLIO_PORT (8080), ADFOLIO_DATA (.data), ADFOLIO_DEMO (1), ADFOLIO_TRAFFIC,"
	@echo "  ADFOLIO_ADMIN_PASSWORD, ADFOLIO_AMQP_PORT (8072), ADFOLIO_PG_PORT (8032), ADFOLIO_ADMIN_PORT (8100),"
	@echo "  ADFOLIO_GRPC_PORT (8200). make cluster-up reads those of them that do not name a server's port or data, and"
	@echo "  ADFOLIO_CLUSTER_DATA (.data/cluster), ADFOLIO_CLUSTER_PORT (8300)."

up: ## Install missing packages, build, and run everything until Ctrl-C
	@$(SCRIPTS)/up.sh

down: ## Stop the system that `make up` started
	@$(SCRIPTS)/adfolio-local.sh down

status: ## Show the running processes
	@$(SCRIPTS)/adfolio-local.sh status

cluster-up: ## Run everything on three machines: PostgreSQL under Patroni, RabbitMQ, two replicas of each service
	@$(SCRIPTS)/cluster-up.sh

cluster-down: ## Stop the cluster that `make cluster-up` started
	@$(SCRIPTS)/adfolio-local.sh cluster-down

cluster-status: ## Show who is the primary, and the running processes of the cluster
	@$(SCRIPTS)/adfolio-local.sh cluster-status

backup: ## Back up databases and uploads of the running system into a new folder in ADFOLIO_BACKUPS (.backups)
	@$(SCRIPTS)/adfolio-local.sh backup

restore: build ## Restore BACKUP=.backups/… while nothing runs; the replaced data are kept
	@$(SCRIPTS)/adfolio-local.sh restore --from "$(BACKUP)" $(if $(ACCEPT_LOST_SECRETS),--accept-lost-secrets)

test: ## Run every check: format, lints, unit, integration and browser tests
	@$(SCRIPTS)/test.sh

bench: ## Measure postings, puts and reads beside their yardsticks; BENCH_BASELINE names a run to compare with
	@$(SCRIPTS)/bench.sh

chaos: ## Kill, freeze and cut everything for nine minutes and check the books; CHAOS_SEED repeats a run
	@$(SCRIPTS)/faults.sh chaos

failover: ## Let the standby of PostgreSQL take over again and again for ten minutes under load
	@$(SCRIPTS)/faults.sh failover

cluster-faults: ## Strike a cluster with every fault and measure how it heals; CLUSTER_ROUNDS (1) times each
	@$(SCRIPTS)/cluster-faults.sh

cluster-test: ## Strike a cluster with CLUSTER_FAULTS (200) faults under load and check the books; CHAOS_SEED repeats
	@$(SCRIPTS)/faults.sh cluster

outage: ## Take RabbitMQ away for five minutes under load; OUTAGE_SECONDS sets the duration
	@$(SCRIPTS)/faults.sh outage

defects: ## Seed each of thirteen defects into the services; all must be noticed; half an hour
	@$(SCRIPTS)/faults.sh defects

scale-test: ## Run two and three replicas of everything under load, with restarts; ten minutes
	@$(SCRIPTS)/scale-test.sh

crash-points: ## Kill a process before and after every commit and check recovery; CHAOS_SEED repeats a run
	@$(SCRIPTS)/faults.sh crash-points

build: ## Install missing packages and build for `make up`
	@$(SCRIPTS)/build.sh

fmt: ## Format everything
	@$(SCRIPTS)/test.sh --fix

lint: ## Check formatting and spelling; lint Rust, protobuf, AsyncAPI, containers and web
	@$(SCRIPTS)/test.sh fmt clippy typos buf asyncapi containers web-lint web-types

sbom: ## Write the SBOMs of programs and web client (CycloneDX) into the target folder
	@$(SCRIPTS)/sbom/make.sh

manifests: ## Check the Kubernetes manifests against schemas, policies and the programs
	@$(SCRIPTS)/test.sh manifests

migrations: ## Check that the previous release can run on this one's migrations
	@$(SCRIPTS)/test.sh migrations

upgrade-test: ## Upgrade from the previous release and back, replica by replica under load
	@$(SCRIPTS)/upgrade.sh

deny: ## Check licences, sources and known defects of the Rust libraries
	@$(SCRIPTS)/test.sh deny

observability: ## Check alert rules and their tests, the runbook and the dashboards
	@$(SCRIPTS)/test.sh observability

test-rust: ## Run the Rust tests against a private PostgreSQL and RabbitMQ
	@$(SCRIPTS)/test.sh rust-build rust-test

test-web: ## Lint, type-check, test and build the web client
	@$(SCRIPTS)/test.sh web-lint web-types web-test web-build web-size

web-matrix: ## Check every screen in every language and width, and axe, in Chromium without a stack
	@$(SCRIPTS)/test.sh web-build web-matrix

api-fuzz: ## Send 10,000 or more generated requests to the API; ADFOLIO_FUZZ_CASES (50) random ones per call
	@ADFOLIO_FUZZ_CASES=$${ADFOLIO_FUZZ_CASES:-50} ADFOLIO_FUZZ_LEAST=$${ADFOLIO_FUZZ_LEAST:-10000} \
	$(SCRIPTS)/test.sh rust-build web-build api-fuzz

fuzz: ## Fuzz each parser for ADFOLIO_FUZZ_SECONDS (60); not part of `make test`
	@$(SCRIPTS)/fuzz.sh

e2e: ## Run the browser journeys in Chromium against a whole stack
	@$(SCRIPTS)/test.sh rust-build web-build four-eyes e2e
