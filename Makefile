# Adfolio on this machine. `make help` lists the targets; the work is done by the scripts below deploy/local.

SCRIPTS := deploy/local
.DEFAULT_GOAL := help
.PHONY: help up down status backup restore test bench scale-test upgrade-test chaos outage crash-points defects build fmt lint test-rust test-web web-matrix api-fuzz e2e deny sbom observability manifests migrations fuzz

help: ## Show this list
	@echo "Adfolio"
	@echo
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  make up reads ADFOLIO_PORT (8080), ADFOLIO_DATA (.data), ADFOLIO_DEMO (1), ADFOLIO_ADMIN_PASSWORD,"
	@echo "  ADFOLIO_AMQP_PORT (8072), ADFOLIO_PG_PORT (8032), ADFOLIO_ADMIN_PORT (8100), ADFOLIO_GRPC_PORT (8200)."

up: ## Install what is missing, build, and run everything until Ctrl-C
	@$(SCRIPTS)/up.sh

down: ## Stop what `make up` started
	@$(SCRIPTS)/adfolio-local.sh down

status: ## Show what runs
	@$(SCRIPTS)/adfolio-local.sh status

backup: ## Copy databases and uploads of the running system, at one point, into a new folder below ADFOLIO_BACKUPS (.backups)
	@$(SCRIPTS)/adfolio-local.sh backup

restore: build ## With nothing running, put BACKUP=.backups/… in place of the data, which are kept aside
	@$(SCRIPTS)/adfolio-local.sh restore --from "$(BACKUP)" $(if $(ACCEPT_LOST_SECRETS),--accept-lost-secrets)

test: ## Everything that must hold: format, lints, unit, integration, browser
	@$(SCRIPTS)/test.sh

bench: ## Measure puts, postings, statistics, pgbench and failed logins on this machine
	@$(SCRIPTS)/bench.sh

chaos: ## Kill, freeze and cut everything for nine minutes, and look at the books; CHAOS_SEED repeats a run
	@$(SCRIPTS)/faults.sh chaos

outage: ## No RabbitMQ for five minutes under load; OUTAGE_SECONDS says for how long
	@$(SCRIPTS)/faults.sh outage

defects: ## Chaos with each of ten mistakes seeded into the services, which it must notice; twenty minutes
	@$(SCRIPTS)/faults.sh defects

scale-test: ## Two and three replicas of everything under load: shares, restarts, replicas more and less; ten minutes
	@$(SCRIPTS)/scale-test.sh

crash-points: ## Let a process die before and after every commit, and look whether it is taken up; CHAOS_SEED repeats a run
	@$(SCRIPTS)/faults.sh crash-points

build: ## Install what is missing and build for `make up`
	@$(SCRIPTS)/build.sh

fmt: ## Format everything
	@$(SCRIPTS)/test.sh --fix

lint: ## Formatting, spelling, Rust, protobuf, AsyncAPI, container and web lints
	@$(SCRIPTS)/test.sh fmt clippy typos buf asyncapi containers web-lint web-types

sbom: ## What programs and web client are made of, as CycloneDX documents below the target folder
	@$(SCRIPTS)/sbom/make.sh

manifests: ## Whether the Kubernetes manifests fit schemas, policies and the programs
	@$(SCRIPTS)/test.sh manifests

migrations: ## Whether programs of the previous release can run beside this one's migrations
	@$(SCRIPTS)/test.sh migrations

upgrade-test: ## From the previous release to this one and back, replica by replica under load; builds it first
	@$(SCRIPTS)/upgrade.sh

deny: ## Licences, sources and, where their list can be fetched, known defects of the libraries
	@$(SCRIPTS)/test.sh deny

observability: ## Prometheus' configuration, the tests of every alert, the runbook, the dashboards
	@$(SCRIPTS)/test.sh observability

test-rust: ## Rust tests against a private PostgreSQL and RabbitMQ
	@$(SCRIPTS)/test.sh rust-build rust-test

test-web: ## The web client's own tests
	@$(SCRIPTS)/test.sh web-lint web-types web-test web-build web-size

web-matrix: ## Every screen of the app in every language and width, and axe, in Chromium without a stack
	@$(SCRIPTS)/test.sh web-build web-matrix

api-fuzz: ## Try every call with generated requests, 10,000 or more; ADFOLIO_FUZZ_CASES (50) random ones each
	@ADFOLIO_FUZZ_CASES=$${ADFOLIO_FUZZ_CASES:-50} ADFOLIO_FUZZ_LEAST=$${ADFOLIO_FUZZ_LEAST:-10000} \
	$(SCRIPTS)/test.sh rust-build web-build api-fuzz

fuzz: ## Search for what breaks a parser, each for ADFOLIO_FUZZ_SECONDS (60); not part of `make test`
	@$(SCRIPTS)/fuzz.sh

e2e: ## The journeys in Chromium against a whole stack
	@$(SCRIPTS)/test.sh rust-build web-build e2e
