import Foundation

/// `docs/capacity.md`: cost of one request, the resulting number of nodes, and the behaviour of a fleet in failures.
struct CapacityPage {
    let figures: CapacityFigures
    let report: FleetReport
    let scale: FleetScale

    func text() throws -> String {
        let parts = try [
            Self.introduction, costs(), firstRequests(), byHitRate(), memory(), fetches(), nodes(), scenarios(),
            denials(), quotas(),
            limits(),
        ]
        return parts.joined(separator: "\n\n") + "\n"
    }

    private static let introduction = """
        <!-- Made from the program by `make docs`; a test compares. Change the source, not this page. -->

        # Capacity: how many nodes a fleet needs

        This page says how many nodes a fleet needs. It also says what the fleet does when something unusual happens to an
        issuer, a key, a token or Redis.

        - **Costs** are measured by `benchmarks/capacity`.
        - **The fleet** is simulated with the gateway's own state machines. Tests assert its bounds.
        - **Your requests, rules and machines** are different. Measure one node with them, and put its figures into
          [the formula](#how-many-nodes).
        """

    // MARK: Costs

    private func costs() throws -> String {
        let rows = try CapacityFigures.protocols.map { "| \($0) | \(Self.shown(try figures.known($0))) |" }
        return """
            ## CPU of a request

            | Measured | |
            | --- | --- |
            | request | a small GET with an RS256 token that the node has cached |
            | connections | 64; with HTTP/2 16, with ten requests at once on each |
            | upstream | HTTP/1.1 |
            | access log | none |
            | CPU | of the whole process on one core, user space and kernel |
            | figures | median of \(figures.measured.rounds) rounds, with the smallest and the largest |
            | date | \(figures.measured.date) |
            | machine | virtual, two cores of \(figures.measured.processor) |

            | Protocol | CPU µs, *c* |
            | --- | --- |
            \(rows.joined(separator: "\n"))

            | What costs more | CPU |
            | --- | --- |
            | a second event loop | 2 % more for each request ([performance.md](performance.md)) |
            | an access log | about 6 µs ([`benchmarks`](../benchmarks/README.md)) |
            | a quota in Redis | 10 to 50 µs ([`benchmarks`](../benchmarks/README.md)) |
            | a new TLS connection, first request included | some 330 µs ([`results`](../benchmarks/results/results.md)) |
            """
    }

    private func firstRequests() throws -> String {
        let rows = try CapacityFigures.algorithms.map { "| \($0) | \(Self.shown(try figures.first($0))) |" }
        return """
            The first request with a token at a node also costs the verification of its signature. Then the token is
            cached, unless `token_cache` is too small for it.

            | Algorithm | further CPU µs, *f* |
            | --- | --- |
            \(rows.joined(separator: "\n"))
            """
    }

    private func byHitRate() throws -> String {
        let known = try figures.known("HTTP/1.1").median
        let rows = try CapacityFigures.algorithms.map { name in
            let first = try figures.first(name).median
            let cells = [0, 0.01, 0.1, 1].map { Self.decimal(known + $0 * first) }
            return "| \(name) | \(cells.joined(separator: " | ")) |"
        }
        return """
            So a request over HTTP/1.1 costs *c* + (1 − *h*) · *f* µs. *h* is the share of requests whose token is
            cached: see `bearward_token_cache_hits_total` and `bearward_token_cache_misses_total`.

            | CPU µs at this share of cached tokens | 100 % | 99 % | 90 % | 0 % |
            | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))
            """
    }

    private func memory() throws -> String {
        let connections = try CapacityFigures.protocols.map { name in
            "| an idle connection, \(name) | \(Self.kibibytes(try figures.memory("idle connection, \(name)"))) |"
        }
        let unread = try CapacityFigures.unread.map { name in
            "| an answer that its client does not read, \(name) | \(Self.kibibytes(try figures.memory("unread answer, \(name)"))) |"
        }
        return """
            ## Memory of tokens and connections

            | | Resident memory |
            | --- | --- |
            | a gateway under load with 100 tokens | \(Self.mebibytes(try figures.memory("gateway"))) |
            | a cached token | \(Self.grouped(Int64(try figures.memory("known token")))) bytes |
            \(connections.joined(separator: "\n"))
            \(unread.joined(separator: "\n"))

            An answer that its client does not read is held as far as the upstream has sent it. The figures include both
            connections, from client to upstream; they are of a build one day later than the others. There can be as
            many of these answers as `in_flight` permits. If they need more memory than a control group leaves, new
            requests are refused before it runs out ([operating.md](operating.md#memory)).

            A token stays cached until five minutes after it expires. `token_cache` bounds the memory of all cached
            tokens: 128 MiB by default.
            """
    }

    private func fetches() -> String {
        """
        ## Key fetches: requests to the issuer

        The table is for one node. *N* nodes send *N* times as many.

        | When | A node fetches |
        | --- | --- |
        | always | the key set every 240 s, earlier or later by up to a tenth: 15 times an hour for each address |
        | the answer has a `max-age` beyond five minutes | less often |
        | the address of the keys must be found by discovery | the metadata document too |
        | the issuer is down | after 1 s, 2 s, 4 s and so on, and then once a minute |
        | tokens have an unknown `kid` | five more times at once, and four times a minute after that |
        """
    }

    // MARK: The formula

    private func nodes() throws -> String {
        let plan = CapacityPlan(
            requests: 1_000_000, tokens: 2_000_000, lifetime: 3600, cores: 2, load: 0.5,
            known: try figures.known("HTTP/1.1, TLS").median,
            first: try figures.first("RS256").median)
        let (nodes, tokens) = (plan.nodes, plan.rememberedTokens)
        let ofTokens = tokens * (try figures.memory("known token"))
        let ofConnections = 10_000 * (try figures.memory("idle connection, HTTP/1.1, TLS"))
        let all = try figures.memory("gateway") + ofTokens + ofConnections
        let whole = nodes + (nodes + 4) / 5
        return """
            ## How many nodes

            | | Means |
            | --- | --- |
            | *R* | requests a second that all clients send to all nodes |
            | *T* | new tokens a second: tokens that are valid at one time, divided by the seconds that each is valid |
            | *c*, *f* | CPU µs of a request, and what a token's first request costs more |
            | *load* | the share of its cores that a node uses on a usual day |
            | *N* | the nodes that you need |
            | *h* | the share of requests whose token is cached: 1 − *N* · *T* ÷ *R* |

            A balancer that does not look at tokens sends each of them to every node sooner or later. So each node
            verifies *T* tokens a second, and you need:

            > *N* = *R* · *c* ÷ (1,000,000 · cores · load − *T* · *f*)

            **Example: 1,000,000 requests a second** over HTTP/1.1 and TLS, with 2,000,000 RS256 tokens that are valid
            for an hour. Nodes have 2 cores, at half load:

            - *T* = 2,000,000 ÷ 3,600 = \(Self.decimal(plan.newTokens, 0)) new tokens a second
            - *N* = 1,000,000 · \(Self.decimal(plan.known)) ÷ (1,000,000 · 2 · 0.5 −
              \(Self.decimal(plan.newTokens, 0)) · \(Self.decimal(plan.first))) = \(nodes) nodes. With one in five more,
              so that a few may be missing: \(whole)
            - *h* = 1 − \(nodes) · \(Self.decimal(plan.newTokens, 0)) ÷ 1,000,000 =
              \(Self.decimal(plan.hitRate * 100)) %
            - Each node caches 2,000,000 · (3,600 + 300) ÷ 3,600 = \(Self.grouped(Int64(tokens.rounded()))) tokens:
              `token_cache: \(Self.cache(ofTokens))`
            - With 10,000 connections a node needs about \(Self.mebibytes(all)) of memory
            - The nodes fetch keys \(whole) · 15 = \(whole * 15) times an hour

            A node that starts has no cached tokens. Until it has seen most of them, it spends *c* + *f* on each
            request. If the cache is too small for all tokens, that never ends.
            """
    }

    // MARK: Scenarios

    private func scenarios() -> String {
        let rows = report.ofKeys.map { outcome in
            let cells = [
                outcome.name, Self.optional(outcome.fetches.map { Int64($0) }),
                Self.optional(outcome.peak.map { Int64($0) }),
                Self.refused(outcome),
                Self.optional(outcome.badForwarded), outcome.converged.map(Self.time) ?? "–",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            ## When something is wrong

            The simulated fleet has \(scale.nodes) nodes and \(Self.grouped(scale.rate)) requests a second. Its one
            issuer answers within 20 to 80 ms. The file has the defaults.

            | Column | Means |
            | --- | --- |
            | Fetches | all fetches at the issuer during the event |
            | Busiest | fetches at the issuer in its busiest second |
            | Let in | forwarded requests whose token is no longer valid |
            | Converged | from the event or the end of an outage until the last node has the issuer's present keys |

            ### Issuers and keys: outage, rotation, unknown key IDs

            | | Fetches | Busiest | Good requests refused | Let in | Converged |
            | --- | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            - **Nothing saved.** At each node 1,024 requests wait for the first keys; more are 503. `/readyz` is 503
              until then, so a balancer that checks it sends none.
            - **Saved on disk.** A start during an outage needs `state_directory`. Without it, each request is 503 until
              a minute after the issuer is back.
            - **429.** A node waits up to a fifth longer than `Retry-After` says. So nodes that were refused together do
              not return together.
            - **Rotation.** Of \(Self.grouped(scale.rate)) requests a second, one in a hundred has a token signed by the
              new key. In the emergency 250 a second have one signed by the withdrawn key. A fleet learns of a withdrawn
              key by the first token signed by the new key. Without that token it takes up to 264 s. After
              `POST /issuers/NAME/refresh` at each node it takes no time.
            - **Flood.** \(Self.grouped(FleetReport.strays)) tokens a second name keys that do not exist. They cost four
              fetches a minute at each node. A new key that comes without notice meanwhile is found by the next of these
              fetches. Until then its tokens are 503 `key_not_asked`, and clients send them again after `Retry-After`.
            """
    }

    private func denials() -> String {
        let rows = report.ofDenials.map { outcome in
            let cells = [
                outcome.name, Self.refused(outcome), Self.optional(outcome.badForwarded),
                outcome.converged.map(Self.time) ?? "–",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            ### Deny list: how soon a token is denied

            A denied token is sent \(Self.grouped(DenialScenarios.rate)) times a second, over all nodes. Each node asks
            Redis every 200 ms, and checks the file every 500 ms.

            | | Good requests refused | Let in | Converged |
            | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            While Redis is down, the node that gets the call answers 503, and denies the token itself. The others get
            the denial when Redis is back. Until then, deny the token at each node.
            """
    }

    private func quotas() -> String {
        let rows = report.ofQuotas.map { result in
            let cells = [
                result.outcome.name, Self.grouped(result.tally.all), Self.grouped(result.permittedByReference),
                Self.grouped(result.tally.forwarded),
                Self.grouped(result.tally.unavailable), Self.time(result.outcome.converged ?? 0),
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return """
            ### Quotas: while Redis is away

            A caller has a quota of \(QuotaScenarios.rate) requests a second. Redis is away for 60 s of 80 s. Unless a
            row says otherwise, the caller sends two and a half times its quota, evenly to all nodes. *Due* is what a
            Redis that is never away would permit.

            | | Requests | Due | Permitted | 503 | Converged |
            | --- | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            - Set `nodes` to the number of gateways. If it is 1, each gateway permits the whole quota.
            - A caller whose requests all reach one node gets that node's share. If balancers keep callers at nodes, set
              `nodes` to the number of nodes that a caller reaches, or use `refuse`.
            - A request waits up to `timeout` (50 ms) for a silent Redis. After a second of silence Redis is not asked
              until it connects again.
            """
    }

    private func limits() -> String {
        """
        ## Simulation: what is real and what is not

        | Part | In the simulation |
        | --- | --- |
        | nodes | the real authorizer of `serve`, with its key set's state machine, token cache and deny list |
        | data shared by Redis | the node's side is real |
        | time | virtual |
        | random numbers | drawn from one seed |
        | issuer, Redis, network | not real: their delays are drawn, and Redis' scripts are written again in Swift |
        | sockets, TLS, balancers, upstreams | left out |
        | cost of requests | left out |
        | limits of a client's address | left out: clients that make up `kid`s have enough addresses |

        Each request that waits for keys is simulated by itself, and so is each request that a quota counts. Of all
        others only the first and the last between two events of a node are judged; the rest are counted alike. In a
        smaller fleet a test judges each request by itself, and gets the same result.

        `BEARWARD_NODES`, `BEARWARD_RATE` and `BEARWARD_SEED` simulate other fleets:
        `BEARWARD_NODES=100 swift test --filter FleetSimulationTests`.
        """
    }

    // MARK: Numbers

    private static func shown(_ rounds: CapacityFigures.Rounds) -> String {
        "\(decimal(rounds.median)) (\(decimal(rounds.least))–\(decimal(rounds.most)))"
    }

    private static func refused(_ outcome: FleetOutcome) -> String {
        if outcome.good == 0 { return "–" }
        return outcome.goodRefused == 0 ? "0" : "\(grouped(outcome.goodRefused)) of \(grouped(outcome.good))"
    }

    private static func optional(_ number: Int64?) -> String { number.map(grouped) ?? "–" }

    private static func time(_ nanoseconds: Int64) -> String {
        nanoseconds < VirtualTime.second
            ? "\(nanoseconds / VirtualTime.millisecond) ms"
            : "\(decimal(Double(nanoseconds) / Double(VirtualTime.second))) s"
    }

    static func grouped(_ number: Int64) -> String {
        var digits = Array("\(number)")
        for place in stride(from: digits.count - 3, to: 0, by: -3) { digits.insert(",", at: place) }
        return String(digits)
    }

    static func decimal(_ number: Double, _ places: Int = 1) -> String {
        number.formatted(.number.precision(.fractionLength(places)).locale(Locale(identifier: "en_US")))
    }

    private static func mebibytes(_ bytes: Double) -> String { "\(decimal(bytes / 1_048_576, 0)) MiB" }

    private static func kibibytes(_ bytes: Double) -> String { "\(decimal(bytes / 1024)) KiB" }

    /// Size to write into the configuration file, with some reserve.
    private static func cache(_ bytes: Double) -> String {
        "\(Int((bytes * 1.1 / 1_048_576 / 128).rounded(.up)) * 128)MiB"
    }
}
