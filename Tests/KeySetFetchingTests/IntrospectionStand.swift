import Foundation
import JOSE
import KeySetFetching
import KeySets
import Logging
import NetworkNames
import Synchronization
import TestSupport
import TokenIntrospection
import TokenVerification

/// Everything that a test of introspection needs besides a server: a client secret on disk, a digest key, and a
/// readable log.
final class IntrospectionStand: Sendable {
    struct Unusable: Error {}

    let directory: TemporaryFolder
    let log = LogLines()
    private let key: TokenDigestKey

    init(secret: String = "s3cret\n") throws {
        guard let key = TokenDigestKey() else { throw Unusable() }
        self.key = key
        directory = try TemporaryFolder()
        try write(secret)
    }

    func write(_ secret: String, mode: Int = 0o600) throws {
        try directory.write(secret, to: "secret")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: directory.path("secret"))
    }

    func removeSecret() throws {
        try FileManager.default.removeItem(atPath: directory.path("secret"))
    }

    func makeSecretADirectory() throws {
        try removeSecret()
        try FileManager.default.createDirectory(atPath: directory.path("secret"), withIntermediateDirectories: false)
    }

    func configuration(
        _ url: String,
        _ change: (inout IntrospectionConfiguration) -> Void = { _ in },
    ) throws -> IntrospectionConfiguration {
        guard let endpoint = HTTPURL(url) else { throw Unusable() }
        var configuration = IntrospectionConfiguration(
            issuer: "https://id.example", endpoint: .configured(endpoint), clientID: "gateway",
            clientSecretFile: directory.path("secret"))
        change(&configuration)
        return configuration
    }

    func introspector(_ configuration: IntrospectionConfiguration, proxies: ProxyEnvironment = .none)
        -> TokenIntrospector
    {
        TokenIntrospector(configuration, proxies: proxies, logger: Logger(label: "tests") { [log] _ in log })
    }

    /// Runs an introspector at the server's `/introspect` and stops it at the end.
    func running(
        _ server: IntrospectionServer,
        _ change: (inout IntrospectionConfiguration) -> Void = { _ in },
        _ body: (TokenIntrospector) async throws -> Void,
    ) async throws {
        let introspector = introspector(try configuration("http://127.0.0.1:\(server.port)/introspect", change))
        await introspector.start()
        try await body(introspector)
        await introspector.stop()
    }

    func digest(_ token: String) -> TokenDigest {
        let bytes = Array(token.utf8)
        guard let digest = key.digest(of: bytes.span) else { preconditionFailure("no memory") }
        return digest
    }

    func ask(_ introspector: TokenIntrospector, _ token: String, of client: ClientNetwork? = nil) async -> Outcome {
        switch await introspector.answer(for: Array(token.utf8), digest: digest(token), of: client) {
        case .response(let response): .response(active: response.isActive, response.claims.tokenID)
        case .unavailable(let retryAfter): .unavailable(retryAfter)
        }
    }

    /// Result of an introspection in a form that can be compared.
    enum Outcome: Hashable {
        case response(active: Bool, String? = nil)
        case unavailable(Duration)
    }
}

/// Logged lines, one text per line.
final class LogLines: LogHandler, Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
    }

    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }

    var logLevel: Logger.Level {
        get { .debug }
        set {}
    }
}
