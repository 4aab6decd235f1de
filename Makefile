# `make demo` shows the gateway at work, `make test` runs everything. Both install what is missing first.
.PHONY: setup demo build test lint format interop bench clean

# Warnings end a build in continuous integration.
SWIFT_BUILD = swift build

setup:
	@.ci/setup

demo: setup
	$(SWIFT_BUILD) --product bearward-dev
	$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev demo

build: setup
	$(SWIFT_BUILD) -c release --static-swift-stdlib --product bearward

test:
	@.ci/setup --interop
	$(SWIFT_BUILD) --build-tests
	swift test --skip-build --no-parallel

lint:
	@.ci/lint

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests benchmarks/Package.swift benchmarks/Sources

bench: setup
	benchmarks/verification
	benchmarks/smoke
	benchmarks/key-flood

clean:
	rm -rf .build
