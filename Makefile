# Everything a newcomer and CI need. `make` alone lists the targets.
SHELL := /bin/bash
PY := .venv/bin/python
CODE := libs services tests bench requirements examples deploy

.DEFAULT_GOAL := help
.PHONY: help run install dev test lint types unit contract e2e proto openapi check-generated lock services services-down services-clean run-distributed test-servers bench bench-distributed bench-parse eval eval-extraction eval-parse clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t18

run: install ## install, start, ingest examples/, ask three questions, keep serving on :8080 and :9090
	@examples/tour.sh

install: ## make .venv with what running needs (locked, checked by hash)
	@requirements/install.sh

dev: ## make .venv with the tools for working on Trivium
	@requirements/install.sh dev

test: dev lint types check-generated unit contract e2e ## everything that must pass; no server, no network

lint: ## style, complexity and import boundaries
	@.venv/bin/ruff check $(CODE)
	@.venv/bin/ruff format --check $(CODE)
	@.venv/bin/lint-imports --no-logo --config pyproject.toml

types: ## strict type check
	@.venv/bin/mypy libs/*/src services/*/src

check-generated: ## compiled protos, the OpenAPI document and the list of formats are fresh
	@proto/compile.sh --check
	@$(PY) docs/write_openapi.py --check
	@$(PY) docs/write_formats.py --check

proto: ## compile proto/ into the library
	@proto/compile.sh

unit: ## each package's own tests, in a process of their own, and those of the deployment's files
	@for part in libs services/*/ tests/deploy; do echo "$$part"; $(PY) -m pytest $$part || exit 1; done

contract: ## every store adapter against its port's promises
	@$(PY) -m pytest tests/contract

e2e: ## the whole product through its doors
	@$(PY) -m pytest tests/e2e

STORES := redis minio elasticsearch neo4j milvus
SERVERS ?= $(STORES)
SERVICES_DIR := $(or $(TRIVIUM_SERVICES_DIR),.services)

services: ## install and start the real servers in .services (SERVERS="redis minio" for some)
	@deploy/local/services.sh start $(SERVERS)

services-down: ## stop what `make services` started; data stays
	@deploy/local/services.sh stop $(STORES) vllm

services-clean: ## stop the servers and remove them with all their data
	@deploy/local/services.sh remove $(STORES) vllm
	@rm -rf $(SERVICES_DIR)/env $(SERVICES_DIR)/trivium && rmdir --ignore-fail-on-non-empty $(SERVICES_DIR)/secrets $(SERVICES_DIR)

run-distributed: dev ## Trivium as separate processes against those servers, until Ctrl-C
	@deploy/local/run.sh

SERVER_SUITES := tests/contract tests/distributed tests/chaos

test-servers: dev ## contract, distributed and chaos suites against the servers of `make services`
	@deploy/local/services.sh install vllm
	@set -a && . $(SERVICES_DIR)/env && { $(PY) -m pytest $(SERVER_SUITES) || \
	  { echo "What failed is run once more, alone: real servers on a busy machine can be late."; $(PY) -m pytest --last-failed --last-failed-no-failures none $(SERVER_SUITES); }; }

openapi: ## write docs/openapi.json
	@$(PY) docs/write_openapi.py

lock: ## rewrite requirements/*.txt from the packages' own requirements
	@requirements/lock.sh

DATA ?= ../shared/data

bench: install ## speed and memory; prints a table (figures are kept in bench/RESULTS.md)
	@$(PY) bench/speed.py

bench-distributed: dev ## the same against the servers of `make services`
	@set -a && . $(SERVICES_DIR)/env && $(PY) bench/distributed.py

bench-parse: dev ## how fast the parsers read, on one core, and the memory of their process
	@$(PY) bench/parse_speed.py $(if $(wildcard $(DATA)/documents),--documents $(DATA)/documents)

eval-parse: dev ## facts found, hostile files, other libraries (in environments of their own) and UDA, on DATA
	@$(PY) bench/parse_eval.py $(DATA)

eval: install ## retrieval quality on every set in DATA
	@$(PY) bench/quality.py $(DATA)

clean: ## remove .venv and caches; documents in .trivium stay
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
