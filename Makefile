# `make demo` shows the gateway at work, `make test` runs the tests that a change needs. Both install what is missing first.
.PHONY: setup demo build programs install uninstall package release check test test-rest test-all mutants sanitize soak thresholds lint format docs bench clean

SWIFT_BUILD = swift build

setup:
	@.ci/setup

# The gateway's own program too, for `bearward explain` beside the demo.
demo: setup
	$(SWIFT_BUILD) --product bearward
	$(SWIFT_BUILD) --product bearward-dev
	$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev demo

# What the linker has bound is not writable. Nothing looks up symbols in a program, so it names none to others, which are 4 MB. Functions of the same
# code are there once, which are 0.5 MB. Where it was built is not in it, so that another folder makes the same bytes.
RELEASE_BUILD = $(SWIFT_BUILD) -c release --static-swift-stdlib -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic -Xlinker --build-id=none \
	-Xlinker --icf=safe \
	-Xcc "-ffile-prefix-map=$(CURDIR)=." -Xcxx "-ffile-prefix-map=$(CURDIR)=."

build: setup
	$(RELEASE_BUILD) --product bearward

# The developer's program too.
programs: build
	$(RELEASE_BUILD) --product bearward-dev

# What `make build` made, and what belongs to it, below DESTDIR and PREFIX.
PREFIX = /usr/local
INSTALLED = bin/bearward share/man/man1/bearward.1.gz share/man/man5/bearward.yaml.5.gz share/bash-completion/completions/bearward \
	share/zsh/site-functions/_bearward share/fish/vendor_completions.d/bearward.fish lib/systemd/system/bearward.service \
	lib/systemd/system/bearward.socket share/doc/bearward

install:
	@test -x .build/release/bearward || { echo "make install: run \`make build\` first" >&2; exit 1; }
	DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' deploy/package/install .build/release/bearward

# Leaves what is below /etc.
uninstall:
	cd '$(DESTDIR)$(PREFIX)' && rm -rf $(INSTALLED)

# Debian packages, tarballs, images and SPDX documents in .build/package, with SHA256SUMS; then unpacked and tried.
package:
	@.ci/setup --package
	$(MAKE) programs
	deploy/package/build
	.ci/package-test
	.ci/container-test
	.ci/install-test

# The same of a tagged commit, for others: MAINTAINER='Ada <ada@example.com>' says who answers for it, and KEY is the file of an OpenSSH private key that
# signs it. Fails early where tag, changelog and version do not agree.
release:
	@.ci/setup --package
	deploy/package/release check
	$(MAKE) package
	deploy/package/release finish

# The fast loop: what needs no socket and no process, and the lint.
check: setup
	$(SWIFT_BUILD) --build-tests
	.ci/test --values
	@.ci/lint

# What a change needs.
test:
	@.ci/setup --interop
	$(SWIFT_BUILD) --build-tests
	.ci/test

# Tests that are marked as slow, and those of tokens once more without remembered tokens.
test-rest:
	@.ci/setup --interop
	$(SWIFT_BUILD) --build-tests
	.ci/test --rest

# Every test there is.
test-all: test test-rest

# The tests against defects that are seeded one by one.
mutants: setup
	Tests/Mutants/run

# The same tests under AddressSanitizer and ThreadSanitizer, each with a build of its own.
sanitize:
	@.ci/setup --interop
	.ci/sanitize address
	.ci/sanitize thread

# Chaos from outside against the release build, for ten minutes unless BEARWARD_CHAOS_SECONDS says otherwise, at 10^6 connections an hour or
# more; as root the same again, with signals at any time and name servers that fall silent; then load and random faults for half an hour, checked
# by a model. `make test-all` has half a minute of each. Last, the commands on 10,000 mutated files and tokens.
soak: build
	$(SWIFT_BUILD) --build-tests
	python3 -B Tests/Chaos --seconds $(or $(BEARWARD_CHAOS_SECONDS),600) --least-rate 278 \
		--binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward" --dev-binary "$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev"
	[ "$$(id -u)" != 0 ] || python3 -B Tests/Chaos --signals --seconds $(or $(BEARWARD_CHAOS_SECONDS),600) \
		--binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward" --dev-binary "$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev"
	BEARWARD_TESTS=all BEARWARD_SOAK_MINUTES=30 swift test --skip-build --filter SoakTests
	.ci/setup --interop
	.build/interop/bin/python Tests/Fuzzing/commands.py --binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward"

# What must not grow: allocations and instructions of a request, counted in the release build, and the CPU of a question at a door.
thresholds:
	benchmarks/micro
	benchmarks/allocations
	benchmarks/instructions --traces --history
	benchmarks/doors

lint: setup
	@.ci/lint

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests benchmarks/Package.swift benchmarks/Sources benchmarks/Benchmarks benchmarks/peers/jwt-kit-verification/Package.swift benchmarks/peers/jwt-kit-verification/Sources

# The pages of docs/ that are made from the program; a test compares them.
docs: setup
	BEARWARD_WRITE_DOCS=1 BEARWARD_TESTS=all swift test --filter '^(DocumentationTests|FleetSimulationTests\.CapacityPageTests)'

# Everything measured, beside the peers: most of an hour. `make bench QUICK=1` is the short one; its figures only show that it works.
bench: setup
	benchmarks/micro
	benchmarks/allocations
	benchmarks/instructions
	benchmarks/doors
	benchmarks/memory
	benchmarks/verification
	benchmarks/peers/run $(if $(QUICK),--quick)
	benchmarks/key-flood
	benchmarks/denials

clean:
	rm -rf .build
