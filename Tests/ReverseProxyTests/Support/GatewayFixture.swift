import AccessControl
import Callers
import Foundation
import HTTPMessages
import JOSE
import KeySets
import KnownTokens
import Logging
import NameLookup
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import Telemetry
import TestSupport
import Testing
import TokenVerification
import TransportSecurity

@testable import ReverseProxy

/// A gateway on a free port in front of scripted upstreams.
struct GatewayFixture: Sendable {
    let gateway: Gateway
    let upstream: RawUpstream
    let log: URL

    var address: String { gateway.boundAddresses.first ?? "" }
    var memoryLevel: MemoryLevel { gateway.memoryLevel }

    /// Connects a client.
    ///
    /// - Parameters:
    ///   - tls: TLS settings of the client. Nil for plain TCP.
    ///   - preamble: bytes sent before the TLS handshake or the first request, in one write with it.
    func connect(_ tls: ClientTLS? = nil, preamble: [UInt8] = []) async throws -> RawPeer {
        try await RawPeer.connect(to: address, tls, preamble: preamble)
    }

    /// The lines of the access log, once there are at least this many.
    func logLines(_ count: Int) async throws -> [String] {
        var lines: [String] = []
        _ = try await holds {
            lines = ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").map(String.init)
            return lines.count >= count
        }
        #expect(lines.count == count)
        return lines
    }
}

/// Settings in which a test differs from the defaults.
struct GatewaySettings: Sendable {
    var limits = ProxyLimits()
    var timeouts = ProxyTimeouts(drain: .milliseconds(300))
    var trustedProxies: [AddressRange] = []
    var redaction = LogRedaction()
    /// Settings of traces. Nil without tracing.
    var tracing: TracingSettings?
    /// Settings of the latest refusals and heaviest callers. Nil if none are kept.
    var history: HistorySettings?
    /// Values of tokens that the access log shows.
    var logged: [LoggedMember] = []
    /// Maximum size of a body that is held until its request is judged. Nil if bodies are not judged.
    var judgedBody: Int?
    /// Keys of the issuer. Nil if none are loaded.
    var keys: KeySet?
    /// Claims that may have the subject.
    var subjectClaims = SubjectRule().claims
    /// True if requests can wait for keys beyond those loaded; without any keys they always can.
    var canWait = false
    var basePath: [UInt8] = []
    var hostOverride: String?
    var moreTargets: [UpstreamTarget] = []
    var fleet = FleetSettings()
    var keepsAuthorization = false
    /// True if tokens are in `X-Assertion`, and upstreams get the client's own `Authorization`.
    var passesAuthorization = false
    /// True if `/private` is public and the public paths are not.
    var isReversed = false
    /// Enforcement mode of `/private` and `/documented`.
    var mode = EnforcementMode.enforce
    /// Maintenance of all resources. Nil if there is none.
    var maintenance: Maintenance?
    /// Bounds of the resource of all other paths.
    var bounds = ForwardingBounds()
    /// Response edits of all resources.
    var responseEdits = ResponseEdits()
    /// WebSocket policy of the public paths.
    var webSockets: WebSocketPolicy?
    var stripsPrefix = false
    /// CORS policy of all resources.
    var crossOrigin: CrossOriginPolicy?
    var eventLoops = 1
    var memory = MemoryWatch()
    var service = ListenerService.plain(.http1)
    /// Peers that send a PROXY protocol header.
    var proxies: [AddressRange]?
    /// The door at which proxies ask. Nil if the listener is no door.
    var door: Door?
    var upstreamTLS: [TargetSecurity: UpstreamTLS] = [:]
    /// Lookup of upstream names.
    var lookUp: NameResolver.Lookup = systemNames.lookUp
    private static let systemNames = NameServers()
    var answerWait: @Sendable (TokenWait) async -> TokenAnswer = { _ in
        .keys(.unavailable(retryAfter: .seconds(7)))
    }

    /// A configuration in which all paths are public except `/private` and `/documented`, which need a token of an
    /// issuer without keys.
    func configuration(for targets: [UpstreamTarget], generation: Int = 1) throws -> ProxyConfiguration {
        let everything = try RouteTable([RoutePattern("ANY /**")])
        var open = ProtectedResource(
            identifier: "open", places: [try PlacePattern(at: "/")], issuers: [], routes: everything,
            policies: [.public],
            upstreamRoutes: everything, upstreams: [0],
        )
        open.identityFields = [IdentityField(.subject, name: try #require(FieldName("X-Auth-Subject")))]
        open.stripsPrefix = stripsPrefix
        open.webSockets = webSockets
        open.bounds = bounds
        let closed = ProtectedResource(
            identifier: "closed", places: [try PlacePattern(at: "/private")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["api"])],
            routes: everything, policies: [.token([])], upstreamRoutes: everything, upstreams: [0],
        )
        let documented = ProtectedResource(
            identifier: "https://api.example/documented", places: [try PlacePattern(at: "/documented")],
            issuers: [AcceptedIssuer(issuer: 0, audiences: ["api"])], routes: everything, policies: [.token([])],
            upstreamRoutes: everything, upstreams: [0],
        )
        var prefixed = open
        prefixed.places = [try PlacePattern(at: "/shop")]
        prefixed.stripsPrefix = true
        prefixed.webSockets = nil
        prefixed.bounds = ForwardingBounds()
        // No key can be fetched for a key ID outside this set.
        var snapshot = KeySetSnapshot(
            staleLimit: .seconds(3600), canWait: canWait || keys == nil, lastFetchSucceeded: keys != nil)
        snapshot.keys = keys
        snapshot.fetchedAt = keys.map { _ in NumericDate(seconds: Date.now.timeIntervalSince1970) }
        var issuer = TrustedIssuer(
            name: "idp", identifier: "https://idp.example", algorithms: [.rs256], tokenType: .any)
        issuer.subject.claims = subjectClaims
        return ProxyConfiguration(
            generation: generation,
            authorizer: try RequestAuthorizer(
                resources: IndexedBy(
                    [open, closed, prefixed, documented].map { resource in
                        var resource = resource
                        resource.crossOrigin = crossOrigin
                        resource.mode = mode
                        resource.maintenance = maintenance
                        resource.responseEdits = responseEdits
                        if isReversed, resource.identifier != "https://api.example/documented" {
                            resource.policies = resource.policies.mapped { $0 == .public ? .token([]) : .public }
                        }
                        if resource.policies.first != .public { resource.keepsAuthorization = keepsAuthorization }
                        if passesAuthorization {
                            resource.tokenPlace = .field(TokenField(FieldName(fixed: "X-Assertion")))
                            resource.passesAuthorization = true
                        }
                        return resource
                    }), issuers: [IssuerKeyStores(issuer: issuer, stores: [KeySetStore(snapshot)])],
                digestKey: TokenDigestKey(),
                cache: TestedTokenCache.isOn ? VerifiedTokenCache(byteLimit: 1 << 20) : nil,
                logged: logged
            ),
            upstreams: [
                UpstreamGroup(
                    targets: targets + moreTargets, fleet: fleet, basePath: basePath, hostOverride: hostOverride)
            ],
            upstreamTLS: upstreamTLS,
            limits: limits,
            timeouts: timeouts,
            trustedProxies: trustedProxies,
            redaction: redaction,
            tracing: tracing,
            history: history,
            judgedBody: judgedBody,
            answerWait: answerWait,
        )
    }
}

/// Runs a test with a gateway, stops the gateway, and expects that no request or connection is left.
func withGateway(
    _ settings: GatewaySettings = GatewaySettings(), targets: [UpstreamTarget]? = nil, upstream: RawUpstream? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @Sendable (GatewayFixture) async throws -> Void
) async throws {
    let upstream = if let upstream { upstream } else { try await RawUpstream.start() }
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let log = folder.url.appendingPathComponent("access.log")
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let gateway = Gateway(
        try settings.configuration(for: targets ?? [upstream.target]),
        eventLoops: settings.eventLoops,
        listeners: [
            Listener(
                try ListeningSocket(binding: "127.0.0.1:0"), settings.service, proxies: settings.proxies,
                door: settings.door)
        ],
        accessLog: try AccessLog(.file(path: log.path), logger: logger),
        memory: settings.memory,
        names: NameResolver(logger: logger, lookUp: settings.lookUp),
        logger: logger,
    )
    try await gateway.start()
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(GatewayFixture(gateway: gateway, upstream: upstream, log: log)))
    } catch {
        result = .failure(error)
    }
    await gateway.drain()
    try? await upstream.stop()
    try result.get()
    #expect(gateway.requestsInFlight == 0, sourceLocation: sourceLocation)
    #expect(gateway.requestsWaitingForKeys == 0, sourceLocation: sourceLocation)
    #expect(gateway.openConnections == 0, sourceLocation: sourceLocation)
    #expect(gateway.state.unexpectedEvents.load(ordering: .relaxed) == 0, sourceLocation: sourceLocation)
}

/// The fields of a head, in order.
func fields(_ head: String) -> [String] {
    head.split(separator: "\r\n", omittingEmptySubsequences: true).dropFirst().map(String.init)
}

/// The values of one field of a head. Field names are compared without case.
func values(_ name: String, in head: String) -> [String] {
    fields(head).filter { $0.lowercased().hasPrefix(name.lowercased() + ":") }
        .map { String($0.dropFirst(name.count + 1).drop { $0 == " " }) }
}

/// Heads without their X-Request-ID line.
func withoutRequestIDs(_ text: String) -> String {
    text.replacing(/X-Request-Id: [0-9a-f]{32}\r\n/, with: "")
}

/// Length of an X-Request-ID line.
let requestIDLength = "X-Request-Id: \r\n".utf8.count + 32

/// The status line of a head.
func firstLine(_ head: String) -> String {
    head.split(separator: "\r\n").first.map(String.init) ?? ""
}

/// Sends bodies of five bytes, announced and in chunks, to `/`, and expects that both are refused for their length.
func expectFiveBytesRefused(_ gateway: GatewayFixture, sourceLocation: SourceLocation = #_sourceLocation) async throws {
    for rest in ["Content-Length: 5\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n"] {
        let client = try await gateway.connect()
        client.send("POST / HTTP/1.1\r\nHost: a\r\n\(rest)")
        let line = firstLine(try await client.receiveToEnd())
        #expect(line == "HTTP/1.1 413 Content Too Large", "\(rest)", sourceLocation: sourceLocation)
    }
}
