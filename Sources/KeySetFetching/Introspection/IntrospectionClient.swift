import AsyncHTTPClient
import FoundationEssentials
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkNames
import Synchronization
import TokenIntrospection

/// Asks an introspection endpoint what a token is (RFC 7662 §2.1): no redirects, no content coding, no more bytes than
/// allowed.
///
/// Addresses and TLS are treated as for documents, see ``DocumentClient``, but connections are kept: every new token is
/// a question.
final class IntrospectionClient: Sendable {
    /// The endpoint of one question.
    private struct Endpoint {
        let url: HTTPURL
        /// nil: the file names it.
        let learnt: EndpointLearner.Learnt?

        var origin: DocumentClient.Origin { learnt.map { .learnt(issuer: $0.issuer) } ?? .configured }
    }

    let configuration: IntrospectionConfiguration
    /// nil: the file names the endpoint.
    private let learner: EndpointLearner?
    private let proxies: ProxyEnvironment
    private let secretFile: ClientSecretFile
    private let eventLoopGroup: any EventLoopGroup
    private let kept = Mutex<KeptConnections?>(nil)

    init(_ configuration: IntrospectionConfiguration, secretFile: ClientSecretFile, proxies: ProxyEnvironment) {
        self.configuration = configuration
        self.secretFile = secretFile
        self.proxies = proxies
        // The rest of the time is for the question, so that what keeps metadata away can be told from a slow response.
        learner = configuration.endpoint.document.map {
            EndpointLearner(from: $0, within: configuration.deadline * 0.6, proxies: proxies)
        }
        eventLoopGroup = MultiThreadedEventLoopGroup.singleton
    }

    /// Asks once. The deadline bounds each step up to the answer's head, but not its body: the caller cancels the task
    /// then.
    func ask(about token: [UInt8]) async throws(IntrospectionFailure) -> IntrospectionResponse {
        let deadline = NIODeadline.now() + TimeAmount(configuration.deadline)
        let secret = try await secretFile.secret(at: .now)
        let endpoint = try await endpoint()
        do {
            return try await ask(about: token, secret, at: endpoint, deadline: deadline)
        } catch {
            if let learnt = endpoint.learnt { learner?.questionFailed(at: learnt, error.fault, at: .now) }
            throw error
        }
    }

    /// Where questions go now; nil: that is not known.
    var knownEndpoint: HTTPURL? {
        switch configuration.endpoint {
        case .configured(let url): url
        case .learnt: learner?.known
        }
    }

    private func endpoint() async throws(IntrospectionFailure) -> Endpoint {
        switch configuration.endpoint {
        case .configured(let url):
            return Endpoint(url: url, learnt: nil)
        case .learnt(let document):
            guard let learner else { throw .endpointNotNamed(source: document.source.description, .missing) }
            let learnt = try await learner.endpoint(at: .now)
            return Endpoint(url: learnt.url, learnt: learnt)
        }
    }

    private func ask(
        about token: [UInt8], _ secret: ClientSecret, at endpoint: Endpoint, deadline: NIODeadline
    ) async throws(IntrospectionFailure) -> IntrospectionResponse {
        guard endpoint.url.scheme == .https || endpoint.url.namesLoopback || configuration.allowsPlainHTTP else {
            throw .exchange(.plainHTTPRefused(url: endpoint.url.text))
        }
        let body = try await send(request(about: token, secret, at: endpoint.url), to: endpoint, deadline: deadline)
        do {
            return try IntrospectionResponse(parsing: body.span)
        } catch {
            throw .answerRefused(url: endpoint.url.text, error)
        }
    }

    /// Gives up learning the endpoint, which questions that are cancelled would wait for.
    func stopLearning() {
        learner?.stop()
    }

    /// Closes the connections that are kept; those in use are closed after that use.
    func close() {
        let closed = kept.withLock { kept in kept.take() }
        _ = consume closed
    }

    private func request(about token: [UInt8], _ secret: ClientSecret, at endpoint: HTTPURL) -> HTTPClientRequest {
        // Built from the parsed parts: the host that was checked, in the one spelling, is the host that is sent.
        let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
        let port = endpoint.port == endpoint.scheme.defaultPort ? "" : ":\(endpoint.port)"
        var request = HTTPClientRequest(url: "\(endpoint.scheme.rawValue)://\(host)\(port)\(endpoint.target)")
        request.method = .POST
        request.headers.add(name: "Accept", value: "application/json")
        request.headers.add(name: "Accept-Encoding", value: "identity")
        let credentials = FormEncoding.basicCredentials(clientID: configuration.clientID, secret: secret)
        request.headers.add(name: "Authorization", value: credentials)
        request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
        request.headers.add(name: "User-Agent", value: "bearward")
        let form = Array("token=".utf8) + FormEncoding.encoded(token) + Array("&token_type_hint=access_token".utf8)
        request.body = .bytes(ByteBuffer(bytes: form))
        return request
    }
}

// MARK: Connecting

extension IntrospectionClient {
    /// Over a connection that is kept; over a new one if there is none, or if the kept ones are dead.
    private func send(
        _ request: HTTPClientRequest, to endpoint: Endpoint, deadline: NIODeadline
    ) async throws(IntrospectionFailure) -> [UInt8] {
        if let kept = kept.withLock({ $0 }), kept.areFresh(at: .now), kept.endpoint == endpoint.url {
            do {
                return try await exchange(request, over: kept, deadline: deadline)
            } catch {
                forget(kept)
                // A question changes nothing at the issuer, so it may be asked again where the server closed an idle
                // connection meanwhile.
                guard error.isOfConnection, deadline > .now() else { throw error }
            }
        }
        return try await connect(request, to: endpoint, deadline: deadline)
    }

    /// Through the proxy, or to one address after the other until one can be connected to.
    private func connect(
        _ request: HTTPClientRequest, to endpoint: Endpoint, deadline: NIODeadline
    ) async throws(IntrospectionFailure) -> [UInt8] {
        let url = endpoint.url
        if let proxy = try proxy(for: endpoint) {
            return try await open(request, of: url, to: nil, proxy, among: 1, deadline: deadline)
        }
        let addresses = try await addresses(of: endpoint, deadline: deadline)
        if url.scheme == .http, !configuration.allowsPlainHTTP, !addresses.areAllLoopback {
            throw .exchange(.plainHTTPRefused(url: url.text))
        }
        var failure = IntrospectionFailure.exchange(.hostNotResolved(host: url.host, reason: "it has no address"))
        let candidates = addresses.texts.prefix(ResolvedAddresses.limit)
        for address in candidates where deadline > .now() {
            do {
                return try await open(request, of: url, to: address, nil, among: candidates.count, deadline: deadline)
            } catch {
                guard case .exchange(.connectionFailed) = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func proxy(for endpoint: Endpoint) throws(IntrospectionFailure) -> ProxyEnvironment.Proxy? {
        do {
            guard let proxy = try proxies.proxy(for: endpoint.url) else { return nil }
            // The proxy looks names up, out of our sight; what can be seen here is refused here.
            try DocumentClient.check(
                endpoint.url, IPAddress(endpoint.url.host) == nil ? [] : [endpoint.url.host], endpoint.origin)
            return proxy
        } catch {
            throw .exchange(error)
        }
    }

    private func addresses(of endpoint: Endpoint, deadline: NIODeadline) async throws(IntrospectionFailure)
        -> ResolvedAddresses
    {
        do {
            let addresses = try await ResolvedAddresses.resolve(
                endpoint.url, on: eventLoopGroup.any(), deadline: deadline)
            try DocumentClient.check(endpoint.url, addresses.texts, endpoint.origin)
            return addresses
        } catch {
            throw .exchange(error)
        }
    }

    /// Connects anew, and keeps the connection if the endpoint answered over it.
    private func open(
        _ request: HTTPClientRequest,
        of endpoint: HTTPURL,
        to address: String?,
        _ proxy: ProxyEnvironment.Proxy?,
        among candidates: Int,
        deadline: NIODeadline,
    ) async throws(IntrospectionFailure) -> [UInt8] {
        var settings = try await settings(proxy)
        // Each address gets its share of the time, however early or late the connection is opened. All of them together
        // get less than the deadline, so that an unreachable address can be told from a slow response.
        let connecting = TimeAmount(configuration.deadline).nanoseconds / 5 * 3
        settings.timeout.connect = .nanoseconds(max(1_000_000, connecting / Int64(max(1, candidates))))
        if let address, address != endpoint.host { settings.dnsOverride = [endpoint.host: address] }
        let client = HTTPClient(eventLoopGroup: eventLoopGroup, configuration: settings)
        let opened = KeptConnections(client, to: endpoint, openedAt: .now)
        let body = try await exchange(request, over: opened, deadline: deadline)
        keep(opened)
        return body
    }

    private func settings(_ proxy: ProxyEnvironment.Proxy?) async throws(IntrospectionFailure)
        -> HTTPClient.Configuration
    {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = configuration.caFile { tls.trustRoots = .certificates(try await trustAnchors(path)) }
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.connectionPool.retryConnectionEstablishment = false
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.concurrentRequests)
        // Shorter than the five seconds after which many servers close an idle connection, perhaps just when it is used
        // again.
        settings.connectionPool.idleTimeout = .seconds(4)
        settings.proxy = proxy.map { proxy in
            let authorization = proxy.credentials.map {
                HTTPClient.Authorization.basic(username: $0.username, password: $0.password)
            }
            return .server(host: proxy.host, port: proxy.port, authorization: authorization)
        }
        return settings
    }

    private func trustAnchors(_ path: String) async throws(IntrospectionFailure) -> [NIOSSLCertificate] {
        do {
            return try await TrustAnchors.read(path)
        } catch {
            throw .exchange(error)
        }
    }

    /// The first of several that were opened at once stays. Those it replaces are freed outside of the lock.
    private func keep(_ opened: KeptConnections) {
        let replaced = kept.withLock { kept -> KeptConnections? in
            if let kept, kept.areFresh(at: opened.openedAt), kept.endpoint == opened.endpoint { return nil }
            let old = kept
            kept = opened
            return old
        }
        _ = consume replaced
    }

    private func forget(_ failed: KeptConnections) {
        let dropped = kept.withLock { kept in kept === failed ? kept.take() : nil }
        _ = consume dropped
    }
}

// MARK: The exchange

extension IntrospectionClient {
    private func exchange(
        _ request: HTTPClientRequest,
        over connections: KeptConnections,
        deadline: NIODeadline,
    ) async throws(IntrospectionFailure) -> [UInt8] {
        let url = connections.endpoint.text
        let response = try await head(of: request, at: url, from: connections.client, deadline: deadline)
        try check(response, from: url)
        return try await body(of: response, from: url)
    }

    private func head(
        of request: HTTPClientRequest,
        at url: String,
        from client: HTTPClient,
        deadline: NIODeadline,
    ) async throws(IntrospectionFailure) -> HTTPClientResponse {
        do {
            return try await client.execute(request, deadline: deadline)
        } catch  where error is NIOSSLError || error is NIOSSLExtraError {
            throw .exchange(.certificateRefused(url: url, reason: PlainReason.of(error)))
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw .exchange(.timedOut(source: url, after: configuration.deadline))
        } catch let error where Self.brokeOff(error) {
            throw .exchange(.incomplete(url: url, reason: PlainReason.of(error)))
        } catch {
            throw .exchange(.connectionFailed(url: url, reason: PlainReason.of(error)))
        }
    }

    /// Whether there was a connection, and the server ended it without an answer.
    private static func brokeOff(_ error: any Error) -> Bool {
        if let error = error as? HTTPClientError { return error == .remoteConnectionClosed }
        return (error as? IOError).map { [ECONNRESET, EPIPE].contains($0.errnoCode) } ?? false
    }

    private func check(_ response: HTTPClientResponse, from url: String) throws(IntrospectionFailure) {
        let status = Int(response.status.code)
        switch status {
        case 200: break
        case 300..<400:
            throw .exchange(.redirected(url: url, status: status, to: response.headers.first(name: "Location")))
        case 401, 403: throw .clientRefused(url: url, status: status)
        default: throw .exchange(.unexpectedStatus(url: url, status, retryAfter: Self.retryAfter(response)))
        }
        // Encoded answers are refused unread: what is small on the wire need not be small in memory.
        if let coding = response.headers["Content-Encoding"].first(where: { $0.lowercased() != "identity" }) {
            throw .exchange(.encoded(url: url, coding: coding))
        }
    }

    /// What a server that is overloaded or down asks for; elsewhere the field means something else (RFC 9110 §10.2.3).
    private static func retryAfter(_ response: HTTPClientResponse) -> Duration? {
        guard response.status.code == 429 || response.status.code >= 500 else { return nil }
        return response.headers.first(name: "Retry-After").flatMap { CacheFreshness.seconds($0[...]) }.map {
            .seconds($0)
        }
    }

    private func body(of response: HTTPClientResponse, from url: String) async throws(IntrospectionFailure) -> [UInt8] {
        let limit = configuration.responseLimit
        let tooLarge = IntrospectionFailure.exchange(.tooLarge(source: url, limit: limit))
        if let announced = response.headers.first(name: "Content-Length").flatMap({ Int($0) }), announced > limit {
            throw tooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard part.readableBytes <= limit - bytes.count else { throw tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let failure as IntrospectionFailure {
            throw failure
        } catch {
            throw .exchange(.incomplete(url: url, reason: PlainReason.of(error)))
        }
        return bytes
    }
}

extension IntrospectionFailure {
    /// Whether a connection could not be made, or ended before the answer did.
    fileprivate var isOfConnection: Bool {
        switch self {
        case .exchange(.connectionFailed), .exchange(.incomplete): true
        default: false
        }
    }
}
