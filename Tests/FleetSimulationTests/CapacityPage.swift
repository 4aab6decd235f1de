import Foundation

/// `docs/capacity.md`: what one request costs, how many nodes that makes, and what a fleet does when something is
/// wrong.
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

        # Capacity

        How many nodes a fleet needs, and what it does when an issuer, a key, a token or Redis is not as usual. The
        costs were measured by `benchmarks/capacity`. The fleet was simulated with the gateway's own machines, and
        tests assert its bounds. Your requests, rules and machines are others: measure one node with your own, and put
        its figures into the formula.
        """

    // MARK: Costs

    private func costs() throws -> String {
        let rows = try CapacityFigures.protocols.map { "| \($0) | \(Self.shown(try figures.known($0))) |" }
        return """
            ## What a request costs

            A small GET with an RS256 token that the node has seen before, over 64 connections. With HTTP/2 there are ten
            requests at once on each of 16. The upstream has HTTP/1.1, no access log is written. CPU of the whole process in user
            space and kernel on one core, median of \(figures.measured.rounds) rounds with the least and the most.
            Measured on \(figures.measured.date) on a virtual machine with two cores of \(figures.measured.processor).

            | Protocol | CPU µs, *c* |
            | --- | --- |
            \(rows.joined(separator: "\n"))

            A second event loop makes a request 2 % more expensive ([performance.md](performance.md)). An access log
            costs about 6 µs more, a quota in Redis 10 to 50 µs ([`benchmarks`](../benchmarks/README.md)). A new TLS
            connection costs some 330 µs with its first request ([`results`](../benchmarks/results/results.md)).
            """
    }

    private func firstRequests() throws -> String {
        let rows = try CapacityFigures.algorithms.map { "| \($0) | \(Self.shown(try figures.first($0))) |" }
        return """
            The first request of a token at a node costs its signature besides. What was verified is remembered,
            unless `token_cache` is too small for it.

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
            So a request over HTTP/1.1 costs *c* + (1 − *h*) · *f* µs, where *h* is the part of requests whose token
            is known. `bearward_token_cache_hits_total` and `bearward_token_cache_misses_total` show it.

            | CPU µs where so many tokens are known | 100 % | 99 % | 90 % | 0 % |
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
            ## What is held in memory

            | | resident memory |
            | --- | --- |
            | a gateway under load with 100 tokens | \(Self.mebibytes(try figures.memory("gateway"))) |
            | a known token | \(Self.grouped(Int64(try figures.memory("known token")))) bytes |
            \(connections.joined(separator: "\n"))
            \(unread.joined(separator: "\n"))

            An answer that its client does not read is held as far as the upstream has sent it, its connections included
            (client to upstream; of a build one day later than the other figures). So many may be in flight as `in_flight`
            says. Where that is more than the memory that a control group leaves, new requests are refused before it ends
            ([operating.md](operating.md#memory)).

            A token is known until five minutes beyond its end. `token_cache` bounds the memory of all of them: 128
            MiB by default.
            """
    }

    private func fetches() -> String {
        """
        ## What an issuer is asked

        A node fetches a key set every 240 s, sooner or later by up to a tenth: 15 times an hour for each address, and
        fewer where its answer has a `max-age` beyond five minutes. With discovery the metadata document is fetched
        besides where the address of the keys has to be learnt. While an issuer is down, a node tries after 1 s, 2 s,
        4 s and so on, and then once a minute. Unknown `kid`s cost it five more at once, and four a minute after that.
        All of this is a node's: *N* nodes ask *N* times as often.
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

            Clients of all nodes together send *R* requests and use *T* new tokens a second: tokens that are good at
            one time, divided by how many seconds each is good. A balancer that knows no tokens brings each of them to
            every node sooner or later, so each node verifies *T* tokens a second, and *N* nodes need

            > *N* = *R* · *c* ÷ (1,000,000 · cores · load − *T* · *f*)

            where *load* is the part of its cores that a node uses on a usual day, and *h* = 1 − *N* · *T* ÷ *R*.

            **1,000,000 requests a second**, over HTTP/1.1 and TLS, 2,000,000 RS256 tokens of an hour, nodes of 2
            cores at half load:

            - *T* = 2,000,000 ÷ 3,600 = \(Self.decimal(plan.newTokens, 0)) new tokens a second
            - *N* = 1,000,000 · \(Self.decimal(plan.known)) ÷ (1,000,000 · 2 · 0.5 −
              \(Self.decimal(plan.newTokens, 0)) · \(Self.decimal(plan.first))) = \(nodes) nodes; one in five more, so
              that a few may be missing: \(whole)
            - *h* = 1 − \(nodes) · \(Self.decimal(plan.newTokens, 0)) ÷ 1,000,000 =
              \(Self.decimal(plan.hitRate * 100)) %
            - Each node knows 2,000,000 · (3,600 + 300) ÷ 3,600 = \(Self.grouped(Int64(tokens.rounded()))) tokens:
              `token_cache: \(Self.cache(ofTokens))`
            - With 10,000 connections a node holds about \(Self.mebibytes(all))
            - The issuer is asked \(whole) · 15 = \(whole * 15) times an hour

            A node that starts knows no token: until it has seen most of them, it spends *c* + *f* on each request.
            Where the cache is smaller than the tokens, that is so for ever.
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

            A simulated fleet of \(scale.nodes) nodes and \(Self.grouped(scale.rate)) requests a second, with one
            issuer that answers within 20 to 80 ms and the defaults of the file. *Fetches* are all those at the issuer
            while it lasts, *busiest* those of its busiest second. *Let in* are requests with tokens that are no good
            any more. *Converged* is from the event, or from the end of an outage, to when the last node had the
            issuer's present keys.

            | | Fetches | Busiest | Good requests refused | Let in | Converged |
            | --- | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            - *Nothing saved.* 1,024 requests wait at each node for its first keys; more are 503. `/readyz` is 503
              until then: a balancer that heeds it sends none.
            - *Saved on disk.* `state_directory` is what a start during an outage needs. Without it, each request is
              503 until a minute after the issuer is back.
            - *429.* A node comes back later than `Retry-After` says by up to a fifth, so that those that were sent
              away together do not return together.
            - *Rotation.* Of \(Self.grouped(scale.rate)) requests a second a hundredth have the new key. In the
              emergency 250 a second have the withdrawn one. A fleet learns of a withdrawn key by the first token
              under the new one; without such a token it takes up to 264 s, and `POST /issuers/NAME/refresh` at each
              node takes none.
            - *Flood.* \(Self.grouped(FleetReport.strays)) tokens a second name keys that nobody has. They cost
              four fetches a minute at each node. A key that comes without notice meanwhile is found with the next of
              these; until then its tokens are 503 `key_not_asked`, to be sent again after `Retry-After`.
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
            A denied token that is sent \(Self.grouped(DenialScenarios.rate)) times a second, over all nodes. Redis is
            asked by each node every 200 ms, the file looked at every 500 ms.

            | | Good requests refused | Let in | Converged |
            | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            While Redis is down, the node that was asked answers 503 and denies the token itself. The others hear of
            it once Redis is back: until then, deny it at each node.
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
            A caller with a quota of \(QuotaScenarios.rate) requests a second, over 80 s of which Redis is away for
            60. It asks for two and a half times its quota at all nodes alike, where nothing else is said. *Due* is
            what a Redis that is never away would permit.

            | | Requests | Due | Permitted | 503 | Converged |
            | --- | --- | --- | --- | --- | --- |
            \(rows.joined(separator: "\n"))

            - `nodes` is the number of gateways, or each permits the whole quota.
            - A caller whose requests all come to one node has that node's part. Where balancers keep callers at
              nodes, choose `nodes` by how many nodes a caller reaches, or `refuse`.
            - A request waits for a silent Redis for `timeout` (50 ms), until a second has passed; then it is not
              asked until it connects again.
            """
    }

    private func limits() -> String {
        """
        ## What is simulated

        Each node is the authorizer that `serve` has, with the machine of its key set, its remembered tokens, its deny
        list, and its side of what Redis shares. Time is virtual, and every number is drawn from one seed. Issuer,
        Redis and network are not the real ones: how long they take is drawn, Redis' scripts are stated once more in
        Swift, and sockets, TLS, balancers and upstreams are left out. So is what requests cost, and the limits of a
        client's address: those who make up `kid`s have enough addresses.

        A request that waits for keys goes through the machine by itself, and so does each request that a quota
        counts. Of all others the first and the last between two events of a node are judged, and those between are
        counted with them. A test judges each by itself in a smaller fleet and finds the same. `BEARWARD_NODES`,
        `BEARWARD_RATE` and `BEARWARD_SEED` simulate other fleets:
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

    /// A size for the file, with room to spare.
    private static func cache(_ bytes: Double) -> String {
        "\(Int((bytes * 1.1 / 1_048_576 / 128).rounded(.up)) * 128)MiB"
    }
}
