# Everything a newcomer and CI need. `make` alone lists the targets.
SHELL := /bin/bash
PY := .venv/bin/python
CODE := conftest.py libs services tests bench requirements examples deploy docs/site $(wildcard docs/*.py)

# Without kept bytecode every process compiles some 1,300 modules, and this project starts many processes.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run install torch speech dev test test-models test-chart test-images test-clients test-clients-newest test-unstructured chart-schema lint types unit contract e2e proto check-proto check-compose release-proto client openapi check-generated version lock services services-install services-down services-clean run-distributed models test-servers bench bench-distributed bench-growth reader bench-parse bench-peers soak eval eval-extraction eval-parse docs wheels sbom clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t18

run: install ## install, start, ingest examples/, ask three questions, keep serving on :8080 and :9090
	@examples/tour.sh

install: ## make .venv with what running needs (locked, checked by hash)
	@requirements/install.sh

torch: ## add torch to .venv: for cross-encoders, visual models, CUDA, and embedding models that are no BERT
	@requirements/install.sh torch

speech: ## add to .venv what runs a Whisper model, and reads chapters and subtitles inside films
	@requirements/install.sh speech

dev: ## make .venv with the tools for working on Trivium
	@requirements/install.sh dev

JOBS ?= 2
SYNC := $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)
TOGETHER := $(MAKE) --no-print-directory --keep-going -j$(JOBS) $(SYNC)
E2E := tests/e2e/test_[a-l]* tests/e2e/test_[m-z]*
LONGEST := $(E2E) services/gpu-inference services/ingest-worker  # they begin first
UNIT := $(filter-out $(LONGEST),libs $(wildcard services/*) tests/deploy)
PARTS := $(LONGEST) $(UNIT) tests/contract
MODEL_PARTS := services/gpu-inference tests/e2e tests/contract
SERVER_PARTS := tests/distributed/test_[a-f]* tests/chaos tests/distributed/test_[g-z]* tests/contract services/query-api/tests/connect/test_real_imap.py

test: dev ## what must pass; no server, no network, no torch (JOBS=2 parts at once; ALSO="wheels" more targets among them)
	@$(TOGETHER) $(PARTS:%=test-%) lint types check-generated $(ALSO)

test-models: models ## the tests that `make test` leaves out: of torch, of models it makes, of real small models
	@$(TOGETHER) $(MODEL_PARTS:%=test-models-%)

$(MODEL_PARTS:%=test-models-%): test-models-%:
	@echo "$*"; DATA="$(DATA)" TRIVIUM_SERVICES_DIR="$(abspath $(SERVICES_DIR))" $(PY) -m pytest -m models $*

$(sort $(PARTS:%=test-%) $(SERVER_PARTS:%=test-%) test-tests/e2e): test-%:  # in a process of its own
	@echo "$*"; DATA="$(DATA)" TRIVIUM_SERVICES_DIR="$(abspath $(SERVICES_DIR))" $(PY) -m pytest $*

lint: ## style, complexity and import boundaries
	@.venv/bin/ruff check $(CODE)
	@.venv/bin/ruff format --check $(CODE)
	@.venv/bin/lint-imports --no-logo --config pyproject.toml

types: ## strict type check
	@.venv/bin/mypy libs/*/src services/*/src

check-generated: ## compiled protos, the Python client, the OpenAPI document, the lists of formats, metrics and settings, the dashboards, the chart's settings and every version are fresh
	@proto/compile.sh --check
	@$(PY) libs/trivium/write_client.py --check
	@$(PY) docs/write_openapi.py --check
	@$(PY) docs/write_formats.py --check
	@$(PY) docs/write_metrics.py --check
	@$(PY) docs/write_settings.py --check
	@$(PY) deploy/helm/write_schema.py --check
	@$(PY) requirements/images.py --check
	@$(PY) deploy/dashboards/write.py --check
	@$(PY) deploy/write_version.py --check

proto: ## compile proto/ into the library
	@proto/compile.sh

check-proto: ## lint proto/, and refuse what breaks callers of the last release (buf, from its Go module; minutes the first time)
	@proto/buf.sh lint
	@proto/buf.sh breaking --against released.binpb
	@TRIVIUM_SERVICES_DIR="$(abspath $(SERVICES_DIR))" $(PY) -m pytest tests/deploy/test_wire.py

check-compose: ## have Compose's own loader read docker/compose.yaml, also with the GPU (from its Go module; a minute the first time)
	@docker/check.sh

release-proto: check-proto ## a release is made: what proto/ is now must stay readable
	@proto/buf.sh build --exclude-source-info -o released.binpb

unit: $(patsubst %,test-%,$(filter-out $(E2E),$(LONGEST)) $(UNIT)) ## each package's own tests, and those of the deployment's files

contract: test-tests/contract ## every store adapter against its port's promises

e2e: test-tests/e2e ## the whole product through its doors

STORES := redis minio elasticsearch neo4j milvus
OF_TESTS := vllm dovecot collector prometheus  # what tests start themselves
SERVERS ?= $(STORES)
SERVICES_DIR := $(or $(TRIVIUM_SERVICES_DIR),.services)

services: ## install and start the real servers in .services (SERVERS="redis minio" for some)
	@deploy/local/services.sh start $(SERVERS)

services-install: ## install them, and what tests start themselves (vLLM, Dovecot, a collector, Prometheus), and start none
	@deploy/local/services.sh install $(SERVERS) $(OF_TESTS)

services-down: ## stop what `make services` started; data stays
	@deploy/local/services.sh stop $(STORES) $(OF_TESTS) kubernetes

services-clean: ## stop the servers and remove them with all their data
	@deploy/local/services.sh remove $(STORES) $(OF_TESTS) kubernetes
	@rm -rf $(SERVICES_DIR)/env $(SERVICES_DIR)/trivium $(SERVICES_DIR)/models && rmdir --ignore-fail-on-non-empty $(SERVICES_DIR)/secrets $(SERVICES_DIR)

run-distributed: ## Trivium as separate processes against those servers, until Ctrl-C
	@requirements/install.sh distributed
	@deploy/local/run.sh

models: dev ## torch, and small real models into .services/models, for the tests that are skipped without them
	@requirements/install.sh torch
	@tests/models/install.sh "$(SERVICES_DIR)/models"

test-servers: models ## distributed, chaos and contract suites against the servers of `make services` (JOBS=2 at once)
	@deploy/local/services.sh install $(OF_TESTS)
	@set -a && . $(SERVICES_DIR)/env && $(TOGETHER) $(SERVER_PARTS:%=test-%)

test-chart: dev ## the Helm chart: on a real control plane, and its processes on the servers of `make services`
	@deploy/local/services.sh start $(STORES) kubernetes
	@set -a && . $(SERVICES_DIR)/env && TRIVIUM_SERVICES_DIR="$(abspath $(SERVICES_DIR))" $(PY) -m pytest tests/chart

test-images: dev ## every image of docker/Dockerfile, without a container engine, as root (IMAGES="control query-api" for some)
	@command -v mmdebstrap >/dev/null || { echo "Install mmdebstrap." >&2; exit 1; }
	@$(PY) -m pytest -s -o faulthandler_timeout=2000 tests/images  # longer than a target's 1,800

chart-schema: ## write what settings may be into the chart's values.schema.json
	@$(PY) deploy/helm/write_schema.py

client: ## write the Python client without an event loop from the one with it
	@$(PY) libs/trivium/write_client.py

openapi: ## write docs/openapi.json
	@$(PY) docs/write_openapi.py

version: openapi ## write the version (libs/trivium/src/trivium/release.py) into the chart, the images' names and the TypeScript package
	@$(PY) deploy/write_version.py

lock: ## rewrite requirements/*.txt from the packages' own requirements
	@requirements/lock.sh
	@$(PY) requirements/images.py

DATA ?= ../shared/data

bench: install ## speed and memory; prints a table (figures are kept in bench/RESULTS.md)
	@$(PY) bench/speed.py

bench-distributed: dev ## the same against the servers of `make services`
	@set -a && . $(SERVICES_DIR)/env && $(PY) bench/distributed.py

bench-peers: dev ## the same documents and questions through txtai and Haystack (in environments of their own) and Trivium
	@$(PY) bench/peers.py $(DATA)

PASSAGES ?= 100000

bench-growth: install ## ingest, search and memory at 3,000 to 100,000 passages (PASSAGES=10000: some minutes)
	@$(PY) bench/growth.py --passages $(PASSAGES)

reader: dev torch ## train the span reader again on the sets of DATA and measure it (half an hour with a GPU, days without); WORK=FOLDER keeps what is done
	@$(PY) bench/train_reader.py $(DATA) $(or $(WORK),.reader)

bench-parse: dev ## how fast the parsers read, on one core, and the memory of their process
	@$(PY) bench/parse_speed.py $(if $(wildcard $(DATA)/documents),--documents $(DATA)/documents)

MINUTES ?= 60

soak: install ## an hour (MINUTES=60) of searches, questions, uploads and deletes, with stops and kills
	@$(PY) bench/soak.py --minutes $(MINUTES)

eval-parse: dev ## facts found, hostile files, other libraries (in environments of their own) and UDA, on DATA
	@$(PY) bench/parse_eval.py $(DATA)

QUESTIONS ?= 0

eval: install ## retrieval quality on every set in DATA, and that of answers where a set has them (QUESTIONS=100: a sample)
	@$(PY) bench/quality.py $(DATA) --questions $(QUESTIONS)

CLIENT_TESTS := tests/clients services/query-api/tests/api/test_real_identity_provider.py

test-clients: dev ## OpenAI's clients, MCP's inspector, LangChain, LlamaIndex, Haystack, TypeScript and a real identity provider on a running Trivium (in environments of their own; of the frameworks also the oldest that our extras permit)
	@$(PY) tests/peers/client_environments.py
	@$(PY) -m pytest $(CLIENT_TESTS)

test-clients-newest: dev ## the same with the newest releases alone
	@$(PY) tests/peers/client_environments.py newest
	@$(PY) -m pytest $(CLIENT_TESTS) -k "not oldest"

test-unstructured: dev ## the library `unstructured` as a reader (0.9 GB more, in a folder of its own), and beside ours on DATA/documents
	@python=$$($(PY) tests/unstructured/environment.py "$(abspath $(SERVICES_DIR))/unstructured") && \
	$$python -m pytest tests/e2e/test_unstructured.py && $$python bench/readers.py $(DATA)/documents

docs: dev ## the documentation as a site, into site/ (MkDocs, in an environment of its own); a link that leads nowhere fails
	@$(PY) docs/site/build.py

wheels: dev ## build every package into dist/, and try them in an empty environment without torch
	@requirements/wheels.sh

sbom: dev ## what .venv has, with licences, as CycloneDX into dist/sbom.cdx.json
	@requirements/sbom.sh
	@$(PY) -m pytest tests/sbom

clean: ## remove .venv and caches; documents in .trivium stay
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
