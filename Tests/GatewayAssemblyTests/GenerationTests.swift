import Denials
import KeySetFetching
import KeySets
import Logging
import RequestAuthorization
import ReverseProxy
import TestSupport
import Testing
import TokenVerification
import TransportSecurity

@testable import ConfigurationFile
@testable import GatewayAssembly
@testable import SharedState

/// Configurations with key sets in files, and a store that does not exist.
@Suite(.timeLimit(.minutes(1))) struct GenerationTests {
    private let folder: TemporaryFolder
    private let logger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }

    /// RFC 7517 A.1.
    private static let keySet = """
        {"keys": [{"kty": "EC", "crv": "P-256", "x": "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", \
        "y": "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM", "use": "sig", "alg": "ES256", "kid": "1"}]}
        """

    init() throws {
        folder = try TemporaryFolder()
        for issuer in ["a", "b"] { try folder.write(Self.keySet, to: "\(issuer).json") }
    }

    /// A file with these issuers; the first has access to everything.
    ///
    /// - Parameter port: port of the store. Nil if the process counts alone.
    private func configuration(
        _ issuers: [String], rule: String = "authenticated", port: Int? = nil,
        upstream: String = "\"http://127.0.0.1:9\"", accessLog: String = "none"
    ) throws -> Configuration {
        let issuers = issuers.map { issuer in
            "  \(issuer): {issuer: \"https://\(issuer).example\", token_type: at+jwt, "
                + "jwks_file: \"\(folder.path("\(issuer).json"))\"}"
        }
        let text = """
            listen: 127.0.0.1:0
            access_log: \(accessLog)
            event_loops: 1
            timeouts: {drain: 1s}
            issuers:
            \(issuers.joined(separator: "\n"))
            resources:
              orders: {at: [/], issuers: [a], upstream: \(upstream), rules: {ANY /**: \(rule)}}
            """
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: "/", environment: [:], checkIdentity: .library)
        guard case .success(var configuration, _) = result else { throw Refused(problems: result.problems) }
        configuration.sharedState = port.map { port in
            SharedState(
                host: "127.0.0.1", port: port, database: 0, processes: 2, user: nil, password: nil,
                secret: Array("0123456789abcdef".utf8), timeout: .milliseconds(20))
        }
        return configuration
    }

    private struct Refused: Error { let problems: [Problem] }

    /// A file that is refused late: two resources are at the same place.
    private func conflicting(port: Int? = nil) throws -> Configuration {
        var configuration = try configuration(["a", "b"], port: port)
        for resource in configuration.resources { configuration.resources.append(resource) }
        return configuration
    }

    private func process(of configuration: Configuration) async throws -> ProcessParts {
        try await ProcessParts(
            configuration, keySetsDirectory: nil, succession: Succession(restarts: 0, hasPredecessor: false), { 0 },
            logger: logger)
    }

    private func keySet(_ issuer: String, of generation: Generation) throws -> RemoteKeySet {
        let path = folder.path("\(issuer).json")
        return try #require(generation.contacts.keySets.keySets.first { $0.configuration.source == .file(path: path) })
    }

    /// Whether a key set can still be read.
    private func isAlive(_ keySet: RemoteKeySet) async -> Bool { await keySet.refresh() == nil }

    // MARK: All or nothing

    @Test(arguments: ["proxy", "draining", "access log"])
    func `a generation that could not be put in place is released, and the running one is kept`(step: String)
        async throws
    {
        let now = try configuration(["a"], port: 1)
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        var prepared: Generation?
        var reason: String?
        let next = step == "proxy" ? try conflicting(port: 2) : try configuration(["a", "b"], port: 2)
        do throws(StartFailure) {
            try await Generation.prepare(next, after: first, in: process) { next throws(StartFailure) in
                prepared = next
                _ = try next.proxyConfiguration()
                if step == "draining" { throw .draining }
                _ = try StartFailure.ofAccessLog {
                    try AccessLog(.file(path: folder.path("missing/access.log")), logger: logger)
                }
            }
        } catch {
            reason = "\(error)"
        }
        switch step {
        case "proxy": #expect(reason == "two resources are at the same place")
        case "draining": #expect(reason == "the gateway is draining")
        default: #expect(reason?.hasPrefix("access_log: ") == true)
        }
        let refused = try #require(prepared)
        #expect(refused.number == 2)
        #expect(refused.quotas?.store?.isStopped == true)
        #expect(try await !isAlive(keySet("b", of: refused)))
        // A key set that both files name.
        #expect(try keySet("a", of: refused) === keySet("a", of: first))
        #expect(try await isAlive(keySet("a", of: first)))
        #expect(first.quotas?.store?.isStopped == false)
        await first.release(keptBy: nil)
        #expect(first.quotas?.store?.isStopped == true)
        #expect(try await !isAlive(keySet("a", of: first)))
    }

    @Test func `a file with unreadable certificates is refused before anything is created for it`() async throws {
        let now = try configuration(["a"], port: 1)
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        try folder.write(SampleCertificates.localhost, to: "ca.pem")
        let next = try configuration(
            ["a"], port: 1,
            upstream: "\"https://127.0.0.1:9\", upstream_tls: {ca_file: \"\(folder.path("ca.pem"))\"}")
        try folder.write("nothing", to: "ca.pem")
        var wasPrepared = false
        do throws(StartFailure) {
            try await Generation.prepare(next, after: first, in: process) { _ in wasPrepared = true }
        } catch {
            #expect("\(error)" == "listen: \(folder.path("ca.pem")): it holds no PEM certificate")
        }
        #expect(!wasPrepared)
        #expect(first.quotas?.store?.isStopped == false)
        #expect(try await isAlive(keySet("a", of: first)))
        await first.release(keptBy: nil)
    }

    // MARK: What is kept

    @Test func `resources that both configurations use are kept, and the others are released with the predecessor`()
        async throws
    {
        let now = try configuration(["a", "b"], port: 1)
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        let same = try await Generation.prepare(configuration(["a", "b"], port: 1), after: first, in: process) { $0 }
        await first.release(keptBy: same)
        #expect(same.number == 2)
        #expect(same.cache === first.cache && same.cache != nil)
        #expect(same.quotas?.store === first.quotas?.store && same.quotas?.store?.isStopped == false)
        #expect(try await isAlive(keySet("b", of: same)))

        let other = try await Generation.prepare(configuration(["a"], port: 2), after: same, in: process) { $0 }
        await same.release(keptBy: other)
        #expect(other.number == 3)
        #expect(other.cache !== first.cache && other.cache != nil)
        #expect(other.quotas?.table === first.quotas?.table)
        #expect(first.quotas?.store?.isStopped == true && other.quotas?.store?.isStopped == false)
        #expect(try await !isAlive(keySet("b", of: same)))
        #expect(try await isAlive(keySet("a", of: other)))
        await other.release(keptBy: nil)
    }

    @Test func `a reload that chooses other values for the access log has a new token cache`() async throws {
        let now = try configuration(["a"], accessLog: "{to: ./access.log, members: [tenant]}")
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        #expect(try first.proxyConfiguration().authorizer.logged == [.tenant])
        let other = try await Generation.prepare(
            configuration(["a"], accessLog: "{to: ./access.log, members: [scopes], claims: [team]}"), after: first,
            in: process
        ) { $0 }
        await first.release(keptBy: other)
        #expect(other.cache !== first.cache && other.cache != nil)
        #expect(try other.proxyConfiguration().authorizer.logged == [.scopes, .claim(ClaimPath(member: "team"))])
        await other.release(keptBy: nil)
    }

    // MARK: Shadows

    @Test func `a shadow shares the running key sets, has its own counters, and releases only its own key sets`()
        async throws
    {
        let now = try configuration(["a"], port: 1)
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        let judge = try first.proxyConfiguration().authorizer
        let shadow = try await Generation.prepare(
            configuration(["a", "b"], port: 2), after: nil, beside: first, in: process
        ) { $0 }
        #expect(shadow.number == 1)
        #expect(shadow.quotas == nil && shadow.parties.isEmpty)
        #expect(shadow.cache != nil && shadow.cache !== first.cache)
        #expect(shadow.contacts.keySets.keySets.count == 1)
        let keys = try #require(shadow.contacts.issuerKeys?.first?.stores.first)
        #expect(try keys === keySet("a", of: first).store)
        #expect(try shadow.shadowPolicy(beside: first, judge).generation == 1)

        // The key set stays alive while its file names it and the running file does not.
        let second = try await Generation.prepare(
            configuration(["a", "b"], rule: "{public: true}"), after: shadow, beside: first, in: process
        ) { $0 }
        await shadow.release(keptBy: second)
        #expect(try keySet("b", of: second) === keySet("b", of: shadow))
        #expect(try await isAlive(keySet("b", of: second)))
        await second.release(keptBy: nil)
        #expect(try await !isAlive(keySet("b", of: second)))
        #expect(try await isAlive(keySet("a", of: first)))
        #expect(first.quotas?.store?.isStopped == false)
        await first.release(keptBy: nil)
    }

    @Test func `a shadow that cannot be built releases only its own key sets`() async throws {
        let now = try configuration(["a"])
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        let judge = try first.proxyConfiguration().authorizer
        var prepared: Generation?
        let conflicting = try conflicting()
        do throws(StartFailure) {
            try await Generation.prepare(conflicting, after: nil, beside: first, in: process) {
                shadow throws(StartFailure) in
                prepared = shadow
                _ = try shadow.shadowPolicy(beside: first, judge)
            }
            Issue.record("two resources at one place make no policy")
        } catch {
            #expect("\(error)" == "two resources are at the same place")
        }
        let refused = try #require(prepared)
        #expect(try await !isAlive(keySet("b", of: refused)))
        #expect(try await isAlive(keySet("a", of: first)))
        await first.release(keptBy: nil)
    }

    @Test func `a shadow uses the running deny list if both files name the same one`() async throws {
        let now = try configuration(["a"])
        let process = try await process(of: now)
        let first = try await Generation.prepare(now, after: nil, in: process) { $0 }
        let same = try await Generation.prepare(
            configuration(["a"], rule: "{public: true}"), after: nil, beside: first, in: process
        ) { $0 }
        #expect(same.denials.list === first.denials.list)
        // Entries of the list would denote other tokens.
        let other = try await Generation.prepare(configuration(["a", "b"]), after: same, beside: first, in: process) {
            $0
        }
        #expect(other.denials.list !== first.denials.list && !other.denials.judgesRequests)
        for generation in [same, other, first] { await generation.release(keptBy: nil) }
    }

    // MARK: A running gateway

    @Test func `a failed reload changes nothing, and the next reload works`() async throws {
        let running = try await RunningGateway.start(configuration(["a"]), logger: logger)
        let first = await running.current
        var (restart, unwritable) = (try configuration(["a", "b"]), try configuration(["a", "b"]))
        restart.eventLoops = 2
        unwritable.accessLog.destination = .file(path: folder.path("missing/access.log"))
        for (refused, reason) in [
            (restart, "a change of event_loops needs a restart"), (unwritable, "access_log: "),
            (try conflicting(), "two resources are at the same place"),
        ] {
            do throws(ReloadFailure) {
                try await running.reload(to: refused)
                Issue.record("it was not refused")
            } catch {
                #expect("\(error)".hasPrefix(reason))
            }
        }
        #expect(await running.current.number == 1)
        #expect(await running.current.cache === first.cache)
        #expect(await running.gateway.configuration.generation == 1)
        #expect(try await isAlive(keySet("a", of: first)))

        try await running.reload(to: configuration(["a", "b"]))
        let second = await running.current
        #expect(second.number == 2)
        #expect(await running.gateway.configuration.generation == 2)
        #expect(try await isAlive(keySet("b", of: second)))
        // The watch has taken them.
        #expect(second.parties.isEmpty)

        try await running.reload(to: configuration(["a"]))
        #expect(try await !isAlive(keySet("b", of: second)))
        #expect(try await isAlive(keySet("a", of: second)))
        await running.drain()
        #expect(try await !isAlive(keySet("a", of: second)))
        let next = try configuration(["a"])
        do throws(ReloadFailure) {
            try await running.reload(to: next)
            Issue.record("it was not refused")
        } catch {
            #expect("\(error)" == "the gateway is draining")
        }
        #expect(await running.current.number == 3)
    }

    @Test func `a shadow is rebuilt after a reload, and is released with the gateway`() async throws {
        let running = try await RunningGateway.start(configuration(["a"]), logger: logger)
        try await running.shadow.put(configuration(["a", "b"]))
        let before = try #require(await running.shadow.generation)
        #expect(before.number == 1)
        // From now on the running file names its issuer too.
        try await running.reload(to: configuration(["a", "b"]))
        await running.shadow.pending()
        let after = try #require(await running.shadow.generation)
        #expect(after.number == 2)
        #expect(after.contacts.keySets.keySets.isEmpty)
        #expect(try await !isAlive(keySet("b", of: before)))

        try await running.shadow.put(conflicting())
        let loads = try #require(await running.shadow.loads)
        #expect(loads.counts.succeeded == 1 && loads.counts.refused == 1)
        #expect(loads.lastError == "two resources are at the same place")
        #expect(await running.shadow.generation?.configuration.resources.count == 1)

        try await running.reload(to: configuration(["a"]))
        await running.shadow.pending()
        let last = try #require(await running.shadow.generation)
        #expect(try await isAlive(keySet("b", of: last)))
        await running.drain()
        #expect(try await !isAlive(keySet("b", of: last)))
    }
}

extension RunningShadow {
    /// Returns once all requested work is done.
    fileprivate func pending() async { await turns.take {}.value }
}
