# The two commands of a fresh Debian 12 are `make demo` and `make test`. Underneath is plain CMake
# with the presets of CMakePresets.json.
.DEFAULT_GOAL := help
FUZZ_SECONDS ?= 20
.PHONY: help build demo test fuzz bench lint

help:  ## shows this
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-6s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build:  ## installs what is needed to build, builds the program in build/release
	scripts/install-dependencies.sh build
	cmake --preset release
	cmake --build --preset release

demo: build  ## the same, then shows the agent at work: no cluster, no root, half a minute
	build/release/src/dra-health-agent demo

test:  ## installs what is needed, builds in build/dev, runs all tests
	scripts/install-dependencies.sh build test
	cmake --preset dev
	cmake --build --preset dev
	ctest --preset dev
	@grep -hE '^(cluster|promtool) tests skipped: ' build/dev/Testing/Temporary/LastTest.log || true

fuzz:  ## runs each fuzz target for FUZZ_SECONDS=20; fails on and keeps what breaks one
	scripts/install-dependencies.sh build test fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz
	FUZZ_SECONDS=$(FUZZ_SECONDS) scripts/fuzz.sh

lint:  ## checks layout and code; after make test
	scripts/install-dependencies.sh lint
	scripts/lint.sh

bench: build  ## compares the agent with the kubelet on one cluster; see tests/cluster/README.md
	tests/cluster/bench.sh build/release/src/dra-health-agent
