# `make demo` shows the gateway at work, `make test` runs everything. Both install what is missing first.
.PHONY: setup demo build install uninstall package check test test-known-tokens-off sanitize soak thresholds lint format docs bench clean

SWIFT_BUILD = swift build

# Suites that open sockets; those that open none are run by .ci/test.
SOCKETS = ReverseProxy|KeySetFetching|SharedQuotas|FleetSimulation|NameLookup|GatewayAssembly|Administration|Supervision|DevelopmentIssuer|LogOutput|OperationalLog

# They take free ports, so many at once: more would run into their own time limits on two cores.
AT_ONCE = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=4

setup:
	@.ci/setup

# The gateway's own program too, for `bearward explain` beside the demo.
demo: setup
	$(SWIFT_BUILD) --product bearward
	$(SWIFT_BUILD) --product bearward-dev
	$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev demo

# What the linker has bound is not writable. Nothing looks up symbols in the program, so it names none to others, which are 4 MB.
build: setup
	$(SWIFT_BUILD) -c release --static-swift-stdlib --product bearward -Xlinker -z -Xlinker now -Xlinker --no-export-dynamic

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

# A Debian package and a tarball in .build/package, with SHA256SUMS and an SPDX document; then unpacked and tried.
package:
	@.ci/setup --package
	$(MAKE) build
	deploy/package/build
	.ci/package-test

# The fast loop: everything that needs no socket and no process, but for tests that are marked as slow, and the lint.
check: setup
	$(SWIFT_BUILD) --build-tests
	.ci/test
	@.ci/lint

test:
	@.ci/setup --interop
	$(SWIFT_BUILD) --build-tests
	.ci/test --all
	BEARWARD_TESTS=all $(AT_ONCE) swift test --skip-build --parallel --filter '^($(SOCKETS))Tests\.'
	swift test --skip-build --no-parallel --filter '^EndToEndTests\.'
	$(MAKE) test-known-tokens-off

# What may depend on remembered tokens, once more without; the faults of networks and processes do not.
test-known-tokens-off:
	BEARWARD_TEST_TOKEN_CACHE=off $(AT_ONCE) swift test --skip-build --parallel --filter '^ReverseProxyTests\.' \
		--skip 'HTTP2ConformanceTests|HTTP2FloodTests'
	BEARWARD_TEST_TOKEN_CACHE=off swift test --skip-build --no-parallel --filter '^EndToEndTests\.' \
		--skip 'FaultTests|StuckWorkerEndToEndTests|WorkerFaultRunTests|DoorNameTests|DoorUpgradeTests|IngressNginxTests|MutatedCommandTests|UpstreamRestartTests|HeadComparisonTests|SupervisionEndToEndTests|SystemdTests|DocumentedConsoleTests|DevelopmentCommandTests|ChaosTests|BrowserEndToEndTests|CommandTests|ExampleFilesEndToEndTests|TLSEndToEndTests|MetricsEndToEndTests|DoorMatrixTests|DoorOutageTests|KubernetesTests|SchemaEndToEndTests|PolicyDiffCommandTests|PolicyTestCommandTests|InitTests'

# The same tests under AddressSanitizer and ThreadSanitizer, each with a build of its own.
sanitize:
	@.ci/setup --interop
	.ci/sanitize address
	.ci/sanitize thread

# Chaos from outside against the release build, for ten minutes unless BEARWARD_CHAOS_SECONDS says otherwise, at 10^6 connections an hour or
# more; as root the same again, with signals at any time and name servers that fall silent; then load and random faults for half an hour, checked
# by a model. `make test` has half a minute of each. Last, the commands on 10,000 mutated files and tokens.
soak: build
	$(SWIFT_BUILD) --build-tests
	python3 -B Tests/Chaos --seconds $(or $(BEARWARD_CHAOS_SECONDS),600) --least-rate 278 \
		--binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward" --dev-binary "$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev"
	[ "$$(id -u)" != 0 ] || python3 -B Tests/Chaos --signals --seconds $(or $(BEARWARD_CHAOS_SECONDS),600) \
		--binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward" --dev-binary "$$($(SWIFT_BUILD) --show-bin-path)/bearward-dev"
	BEARWARD_SOAK_MINUTES=30 swift test --skip-build --filter SoakTests
	.ci/setup --interop
	.build/interop/bin/python Tests/Fuzzing/commands.py --binary "$$($(SWIFT_BUILD) -c release --show-bin-path)/bearward"

# What must not grow: allocations and instructions of a request, counted in the release build, the CPU of a question at a door, and the image of a container.
thresholds:
	benchmarks/micro
	benchmarks/allocations
	benchmarks/instructions
	benchmarks/doors
	.ci/container-test

lint: setup
	@.ci/lint

format:
	swift format --in-place --parallel --recursive Package.swift Sources Tests benchmarks/Package.swift benchmarks/Sources benchmarks/Benchmarks benchmarks/peers/jwt-kit-verification/Package.swift benchmarks/peers/jwt-kit-verification/Sources

# The pages of docs/ that are made from the program; a test compares them.
docs: setup
	BEARWARD_WRITE_DOCS=1 swift test --filter '^(DocumentationTests|PolicyTestingTests\.SampleDataTests|FleetSimulationTests\.CapacityPageTests)'

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
