import AsyncHTTPClient
import FoundationEssentials
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NetworkNames
import Synchronization
import TokenIntrospection

/// Asks an introspection endpoint, an ``IssuerServer``, about tokens (RFC 7662 §2.1).
///
/// Unlike ``DocumentClient`` it accepts no content coding, and keeps connections open, because every new token is a
/// question.
final class IntrospectionClient: Sendable {
    /// The endpoint of one question.
    private struct Endpoint {
        let url: HTTPURL
        /// The learnt endpoint. Nil if the configuration file names the endpoint.
        let learnt: EndpointLearner.Learnt?

        var origin: IssuerServer.Origin { learnt.map { .learnt(issuer: $0.issuer) } ?? .configured }
    }

    let configuration: IntrospectionConfiguration
    /// Learner of the endpoint. Nil if the configuration file names the endpoint.
    private let learner: EndpointLearner?
    private let proxies: ProxyEnvironment
    private let secretFile: ClientSecretFile
    private let kept = Mutex<KeptConnections?>(nil)

    init(_ configuration: IntrospectionConfiguration, secretFile: ClientSecretFile, proxies: ProxyEnvironment) {
        self.configuration = configuration
        self.secretFile = secretFile
        self.proxies = proxies
        // The rest of the time is for the question, so that a failure to get metadata can be distinguished from a slow
        // response.
        learner = configuration.endpoint.document.map {
            EndpointLearner(from: $0, within: configuration.deadline * 0.6, proxies: proxies)
        }
    }

    /// Asks the issuer about a token once. The deadline bounds each step up to the head of the answer, but not the
    /// body. The caller must cancel the task at the deadline.
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

    /// The endpoint in use now. Nil if it is not known.
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
        let server = IssuerServer(
            url: endpoint.url, origin: endpoint.origin, allowsPlainHTTP: configuration.allowsPlainHTTP,
            caFile: configuration.caFile, proxies: proxies)
        let body: [UInt8]
        do throws(KeySetFetchFailure) {
            try server.checkScheme()
            body = try await send(request(about: token, secret, to: server), to: server, deadline: deadline)
        } catch .unexpectedStatus(let url, let status, _) where [401, 403].contains(status) {
            throw .clientRefused(url: url, status: status)
        } catch {
            throw .exchange(error)
        }
        do {
            return try IntrospectionResponse(parsing: body.span)
        } catch {
            throw .answerRefused(url: endpoint.url.text, error)
        }
    }

    /// Cancels the learning of the endpoint. Otherwise cancelled questions would still wait for it.
    func stopLearning() {
        learner?.stop()
    }

    /// Closes the kept connections. Connections in use are closed after that use.
    func close() {
        let closed = kept.withLock { kept in kept.take() }
        _ = consume closed
    }

    private func request(about token: [UInt8], _ secret: ClientSecret, to server: IssuerServer) -> HTTPClientRequest {
        var request = server.request(accepting: "application/json")
        request.method = .POST
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
    /// Sends a request over a kept connection. Uses a new connection if there is none, or if the kept ones are closed.
    private func send(
        _ request: HTTPClientRequest, to server: IssuerServer, deadline: NIODeadline
    ) async throws(KeySetFetchFailure) -> [UInt8] {
        if let kept = kept.withLock({ $0 }), kept.areFresh(at: .now), kept.endpoint == server.url {
            do {
                return try await exchange(request, with: server, over: kept, deadline: deadline)
            } catch {
                forget(kept)
                // A question changes nothing at the issuer, so it may be repeated if the server closed an idle
                // connection meanwhile.
                guard error.isOfConnection, deadline > .now() else { throw error }
            }
        }
        return try await server.connect(until: deadline) { way throws(KeySetFetchFailure) in
            try await open(request, to: server, by: way, deadline: deadline)
        }
    }

    /// Opens a new connection, and keeps it if the endpoint answered over it.
    private func open(
        _ request: HTTPClientRequest, to server: IssuerServer, by way: IssuerServer.Way, deadline: NIODeadline
    ) async throws(KeySetFetchFailure) -> [UInt8] {
        // Each address gets the same share of the time. All of them together get less than the deadline, so that an
        // unreachable address can be distinguished from a slow response.
        let connecting = TimeAmount(configuration.deadline).nanoseconds / 5 * 3
        var settings = try await server.settings(for: way, connect: .nanoseconds(connecting / Int64(max(1, way.count))))
        settings.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = max(1, configuration.concurrentRequests)
        // Shorter than the five seconds after which many servers close an idle connection, which may be just when it is
        // used again.
        settings.connectionPool.idleTimeout = .seconds(4)
        let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
        let opened = KeptConnections(client, to: server.url, openedAt: .now)
        let body = try await exchange(request, with: server, over: opened, deadline: deadline)
        keep(opened)
        return body
    }

    /// Keeps the first of several connections that were opened at the same time. The replaced ones are freed outside of
    /// the lock.
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
        with server: IssuerServer,
        over connections: KeptConnections,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> [UInt8] {
        let response = try await head(of: request, from: connections.client, of: server, deadline: deadline)
        try check(response, from: server.url.text)
        return try await server.body(of: response, limit: configuration.responseLimit)
    }

    private func head(
        of request: HTTPClientRequest,
        from client: HTTPClient,
        of server: IssuerServer,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> HTTPClientResponse {
        do {
            return try await client.execute(request, deadline: deadline)
        } catch let error as HTTPClientError where error == .deadlineExceeded {
            throw .timedOut(source: server.url.text, after: configuration.deadline)
        } catch let error where Self.brokeOff(error) {
            throw .incomplete(url: server.url.text, reason: PlainReason.of(error))
        } catch {
            throw server.failure(of: error)
        }
    }

    /// True if the server closed an open connection without an answer.
    private static func brokeOff(_ error: any Error) -> Bool {
        if let error = error as? HTTPClientError { return error == .remoteConnectionClosed }
        return (error as? IOError).map { [ECONNRESET, EPIPE].contains($0.errnoCode) } ?? false
    }

    private func check(_ response: HTTPClientResponse, from url: String) throws(KeySetFetchFailure) {
        let status = Int(response.status.code)
        switch status {
        case 200: break
        case 300..<400:
            throw .redirected(url: url, status: status, to: response.headers.first(name: "Location"))
        default: throw .unexpectedStatus(url: url, status, retryAfter: Self.retryAfter(response))
        }
        // Encoded answers are rejected unread: a small encoded answer can be large in memory.
        if let coding = response.headers["Content-Encoding"].first(where: { $0.lowercased() != "identity" }) {
            throw .encoded(url: url, coding: coding)
        }
    }

    /// Delay that an overloaded or unavailable server asks for, with status 429 or 5xx. With other statuses
    /// `Retry-After` means something else (RFC 9110 §10.2.3). Nil with other statuses, or if the field is absent or not
    /// a number of seconds.
    private static func retryAfter(_ response: HTTPClientResponse) -> Duration? {
        guard response.status.code == 429 || response.status.code >= 500 else { return nil }
        return response.retryAfter
    }
}

extension KeySetFetchFailure {
    /// True if no connection could be made, or if it was closed before the end of the answer.
    fileprivate var isOfConnection: Bool {
        switch self {
        case .connectionFailed, .incomplete: true
        default: false
        }
    }
}
