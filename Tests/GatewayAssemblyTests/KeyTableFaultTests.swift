import AsyncHTTPClient
import JOSESigning
import KeySetFetching
import KeySets
import KnownTokens
import Logging
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing
import TokenVerification
import TransportSecurity

@testable import ConfigurationFile
@testable import GatewayAssembly
@testable import JOSE
@testable import PrecomputedECDSA

/// A running gateway in whose memory one point of a key's table changes.
@Suite(.timeLimit(.minutes(1))) struct KeyTableFaultTests {
    private let folder: TemporaryFolder
    private let signing: SigningKey
    private let messages = Messages()

    /// Lines of the log.
    private final class Messages: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func append(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private struct Handler: LogHandler {
        let messages: Messages
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .debug

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            messages.append("\(event.level) \(event.message) \(event.metadata ?? [:])")
        }
    }

    init() throws {
        folder = try TemporaryFolder()
        signing = try SigningKey.generate(.es384, keyID: "one")
        try folder.write(#"{"keys":[\#(signing.publicJWK)]}"#, to: "keys.json")
    }

    private func start() async throws -> RunningGateway {
        let text = """
            listen: 127.0.0.1:0
            admin: 127.0.0.1:0
            access_log: none
            event_loops: 1
            timeouts: {drain: 1s}
            issuers:
              a: {issuer: "https://a.example", token_type: any, algorithms: ES384, jwks_file: "\(folder.path("keys.json"))"}
            resources:
              orders: {at: [/], audiences: [orders], issuers: [a], upstream: "http://127.0.0.1:9", rules: {ANY /**: authenticated}}
            """
        let result = Configuration.load(
            bytes: Array(text.utf8), directory: "/", environment: [:], checkIdentity: .library)
        guard case .success(let configuration, _) = result else { throw Refused() }
        return try await RunningGateway.start(
            configuration, logger: Logger(label: "tests") { [messages] _ in Handler(messages: messages) })
    }

    private struct Refused: Error {}

    private func token(_ number: Int) -> String {
        let time = Moment.now.date.seconds
        return signing.token(
            claimsJSON:
                #"{"iss":"https://a.example","aud":"orders","sub":"s","jti":"\#(number)","exp":\#(Int(time) + 300)}"#)
    }

    /// A table with one flipped bit, and a token that it refuses.
    private func corrupted(_ key: TabledKey) throws -> (table: KeyTable, token: String) {
        let constants = try #require(CurveConstants.of(.p384))
        let point = try #require(constants.group.point(x: key.x, y: key.y))
        var multiples = try #require(PointMultiples(of: point, constants))
        multiples.bytes[96 * 1_000 + 17] ^= 4
        let generator = try #require(PointMultiples.ofGenerator(.p384))
        let table = KeyTable(unchecked: .tables(generator: generator, key: multiples), constants)
        // One of 64 signatures meets the point.
        for number in 1_000..<3_000 {
            let token = token(number)
            let end = try #require(token.lastIndex(of: "."))
            let signature = try #require(Base64URL.decode(String(token[token.index(after: end)...])))
            guard let digest = LibraryDigest.digest(token[..<end].utf8.span, with: .sha384) else { throw Refused() }
            if table.verify(signature: signature.span, digest: digest.span) == false { return (table, token) }
        }
        throw Refused()
    }

    /// Status of a request, and the content of the answer.
    private func get(_ url: String, token: String? = nil) async throws -> (status: UInt, body: String) {
        var request = HTTPClientRequest(url: url)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return (response.status.code, String(buffer: try await response.body.collect(upTo: 1 << 20)))
    }

    @Test func `libcrypto decides, and the log, the metrics and readyz tell of it; no token stays verified`()
        async throws
    {
        let running = try await start()
        let tables = running.process.keyTables
        let address = "http://\(try #require(running.addresses.first))/"
        let admin = "http://\(try #require(await running.administration.address))"
        while tables.status.tables == 0 { try await Task.sleep(for: .milliseconds(20)) }

        /// There is no upstream, so a permitted request is answered with 502.
        func expectPermission(_ token: String) async throws {
            let answer = try await get(address, token: token)
            #expect(answer.status == 502, "\(answer.body)")
        }
        let first = token(1)
        for _ in 0..<2 { try await expectPermission(first) }
        func verifications() async -> UInt64? { await running.current.cache?.statistics.insertions }
        #expect(await verifications() == 1)
        #expect(try await !get(admin + "/readyz").body.contains("ecdsa_tables"))

        let key = try #require(tables.published.first)
        let (table, token) = try corrupted(key)
        key.table = table
        try await expectPermission(token)

        let metrics = try await get(admin + "/metrics").body
        #expect(metrics.contains("\nbearward_ecdsa_tables_failed 1\n"))
        #expect(metrics.contains("\nbearward_ecdsa_tables 0\n"))
        let readiness = try await get(admin + "/readyz")
        #expect(readiness.status == 200)
        #expect(
            readiness.body.contains(
                #""ecdsa_tables":{"ready":false,"kid":"one","last_error":"the table refused a signature that libcrypto accepts"}"#
            ))
        #expect(messages.all.contains { $0.hasPrefix("error A table verified a signature wrongly") })
        // Both tokens are verified once more, then they are known again.
        for _ in 0..<2 {
            try await expectPermission(first)
            try await expectPermission(token)
        }
        #expect(await verifications() == 4)
        await running.drain()
    }
}
