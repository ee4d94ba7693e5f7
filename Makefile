# Every target sets up what it needs, in .venv/ and .tools/.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
OLD_GENERATOR := .tools/openapi-generator-7.19.0
RELEASES := .tools/opensearch-protobufs
LANGUAGES := .tools/languages
SPEC2PROTO := $(BIN)/spec2proto
PREFIX ?= spec2proto
export TAG
ACTIONLINT := $(if $(shell command -v go 2>/dev/null),.tools/actionlint/actionlint)
TESTS ?= tests
# Tests that run programs, half of the time of all; they run beside the others.
PROGRAMS := $(addprefix tests/,failures pipeline live bindings review languages)

.DEFAULT_GOAL := help
.PHONY: help setup demo spec browser protos test nightly test-live lint format check bench corpus audit bindings install release publish baseline clean

help: ## show the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## install the tools

$(READY): pyproject.toml codec/python/pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=…")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable codec/python --editable '.[dev]'
	$(BIN)/python -m pipeline.generate.class_archive
	touch $@

$(OLD_GENERATOR)/.ready: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target $(OLD_GENERATOR) openapi-generator-cli==7.19.0
	touch $@

$(RELEASES)/.ready: $(READY)
	for release in 1.0.0 1.1.0 1.2.0 1.3.0 1.4.0 1.5.0 1.6.0 1.7.0; do \
	  $(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --dest $(RELEASES) opensearch-protobufs==$$release || exit 1; \
	done
	touch $@

# The stock generators for Java and Go, where Maven and Go are installed; tests that miss them say so.
$(LANGUAGES)/.ready: templates/bindings/java/plugins.xml templates/bindings/typescript/plugins.json
	mkdir -p $(LANGUAGES)
	if command -v mvn; then \
	  case "$$(uname -s)" in Darwin) system=osx;; *) system=linux;; esac; \
	  case "$$(uname -m)" in arm64|aarch64) processor=aarch_64;; *) processor=x86_64;; esac; \
	  mvn --quiet --batch-mode --file $< dependency:copy-dependencies \
	    -Dplatform=$$system-$$processor -DoutputDirectory=$(abspath $(LANGUAGES))/java; \
	fi
	if command -v go; then \
	  GOBIN=$(abspath $(LANGUAGES))/go go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12 && \
	  GOBIN=$(abspath $(LANGUAGES))/go go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2 && \
	  GOBIN=$(abspath $(LANGUAGES))/go go install github.com/grpc-ecosystem/grpc-gateway/v2/protoc-gen-grpc-gateway@v2.31.0; \
	fi
	if command -v npm; then \
	  mkdir -p $(LANGUAGES)/typescript && cp templates/bindings/typescript/plugins.json $(LANGUAGES)/typescript/package.json && \
	  npm install --silent --no-audit --no-fund --prefix $(LANGUAGES)/typescript; \
	fi
	touch $@

# What checks reports and pull requests with Node.js, where it is installed; tests that miss it say so.
.tools/review/.ready: tests/review/package.json $(READY)
	mkdir -p $(@D)
	cp $< $(@D)/package.json
	if command -v npm; then \
	  npm install --prefix $(@D) --no-audit --no-fund --no-package-lock --loglevel=error && \
	  $(BIN)/python -m tests.corpus.packages; \
	fi
	touch $@

.tools/actionlint/actionlint:
	GOBIN=$(abspath $(@D)) go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.tools/pip-audit/.ready: $(READY)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	touch $@

demo: $(READY) ## the whole pipeline on the example spec, from nothing, offline
	rm -rf generated/demo
	$(SPEC2PROTO) build --profile example --lock examples/library/empty.lock.yaml --out generated/demo --report

.tools/spec/opensearch-openapi.yaml: $(READY)
	$(BIN)/python -m tests.specification $(@D)

BROWSERS := chromium chromium-browser google-chrome chrome
browser: ## Chromium for the tests of the report page, from Debian's packages where no browser is installed
	for name in $(BROWSERS); do command -v $$name && exit 0; done; \
	run=; [ "$$(id -u)" = 0 ] || run=sudo; \
	$$run apt-get update -qq && $$run apt-get install -y -qq --no-install-recommends chromium

spec: .tools/spec/opensearch-openapi.yaml ## the OpenSearch specification that the tests use, where there is no mirror

protos: $(READY) ## the protos of the newest OpenSearch specification
	$(SPEC2PROTO) build --profile opensearch
	$(SPEC2PROTO) build --profile opensearch-full

test: $(READY) $(OLD_GENERATOR)/.ready $(RELEASES)/.ready $(LANGUAGES)/.ready .tools/review/.ready ## all tests, those against a real server included
ifeq ($(TESTS),tests)
	mkdir -p generated
	$(BIN)/python -m pytest $(PROGRAMS) > generated/tests.log 2>&1 & programs=$$!; \
	$(BIN)/python -m pytest tests $(PROGRAMS:%=--ignore=%); others=$$?; \
	wait $$programs; programs=$$?; cat generated/tests.log; exit $$((programs || others))
else
	$(BIN)/python -m pytest $(TESTS)
endif

nightly: $(READY) $(LANGUAGES)/.ready ## what takes too long for every change
	$(BIN)/python -m pytest -m nightly $(TESTS)

test-live: $(READY) ## only the tests against a real OpenSearch server
	$(BIN)/python -m pytest tests/live

lint: $(READY) $(ACTIONLINT) ## format, lint, layers, types and workflows, without changing anything
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet .github
	$(or $(ACTIONLINT),@echo "actionlint is not run: Go, which builds it, is not installed")

format: $(READY) ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

check: lint test ## everything that has to hold before a change lands

bench: $(READY) ## time and memory by stage, bytes and speed of the codec
	$(BIN)/python -m tests.bench

corpus: $(READY) ## 200 random public API descriptions, beside OpenAPI Generator alone; CORPUS="--seed 7 --size 50"
	$(BIN)/python -m tests.corpus $(CORPUS)

audit: $(READY) .tools/pip-audit/.ready ## known vulnerabilities of the pinned packages, where their list can be reached
	$(BIN)/python -m tests.audit

bindings: $(READY) $(LANGUAGES)/.ready ## packages for Python, Java, Go and TypeScript; BINDINGS="--profile opensearch --language go"
ifdef BINDINGS
	$(SPEC2PROTO) bindings $(BINDINGS)
else
	$(SPEC2PROTO) bindings --profile opensearch
	$(SPEC2PROTO) bindings --profile opensearch-full
endif

install: ## spec2proto alone, for use elsewhere; PREFIX=FOLDER
	$(PYTHON) -m venv $(PREFIX)
	$(PREFIX)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt ./codec/python .

release: $(READY) $(LANGUAGES)/.ready ## protos with all comments, packages and checksums in generated/release; TAG=v1.2.3
	$(SPEC2PROTO) bindings --profile opensearch --package-version "$${TAG#v}"
	$(SPEC2PROTO) bindings --profile opensearch-full --package-version "$${TAG#v}"
	$(SPEC2PROTO) release

publish: ## put what `make release` made on GitHub's page of the release; TAG=v1.2.3
	gh release create "$$TAG" --verify-tag --generate-notes generated/release/*

baseline: $(READY) $(RELEASES)/.ready ## import every published release into the baseline lock
	$(SPEC2PROTO) lock import --profile opensearch $(sort $(wildcard $(RELEASES)/*.whl))

clean: ## remove what can be made again
	rm -rf $(VENV) .tools generated .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
