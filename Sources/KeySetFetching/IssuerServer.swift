import AsyncHTTPClient
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkNames

/// Server of one URL, with the rules for all requests to it: HTTP/1.1, no redirects, a limit for the size of answers,
/// and only checked addresses. TLS certificates are always fully verified.
struct IssuerServer: Sendable {
    /// Source of the URL, which determines the permitted addresses.
    enum Origin: Sendable, Hashable {
        /// The operator configured the URL. Any address is permitted.
        case configured
        /// A document of the issuer named the URL. Its address must not be in a more private network than the issuer's
        /// own.
        case learnt(issuer: AddressClass)
    }

    /// One way to reach the server: through the proxy, or at one address.
    struct Way: Sendable {
        var proxy: ProxyEnvironment.Proxy?
        /// Address to connect to. Nil if the proxy resolves the name.
        var address: String?
        /// Number of ways to the server.
        var count = 1
        var isLast = true
    }

    let url: HTTPURL
    let origin: Origin
    let allowsPlainHTTP: Bool
    let caFile: String?
    let proxies: ProxyEnvironment

    /// Throws for a plain http URL, unless its host is loopback or the operator permits plain http.
    func checkScheme() throws(KeySetFetchFailure) {
        guard url.scheme == .https || url.namesLoopback || allowsPlainHTTP else {
            throw .plainHTTPRefused(url: url.text)
        }
    }

    /// Makes a request for the URL, with the header fields that all requests have.
    func request(accepting types: String) -> HTTPClientRequest {
        // Built from the parsed parts, so that the host that was checked is exactly the host that is sent.
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let port = url.port == url.scheme.defaultPort ? "" : ":\(url.port)"
        var request = HTTPClientRequest(url: "\(url.scheme.rawValue)://\(host)\(port)\(url.target)")
        request.headers.add(name: "Accept", value: types)
        request.headers.add(name: "Accept-Encoding", value: "identity")
        return request
    }
}

// MARK: Connecting

extension IssuerServer {
    /// Calls `attempt` with the proxy, or with one address after the other until a connection succeeds.
    func connect<Answer>(
        until deadline: NIODeadline,
        _ attempt: (Way) async throws(KeySetFetchFailure) -> Answer,
    ) async throws(KeySetFetchFailure) -> Answer {
        if let proxy = try proxies.proxy(for: url) {
            // The proxy resolves names, and we cannot check the result. Only a literal address in the URL can be
            // checked here.
            try check(IPAddress(url.host) == nil ? [] : [url.host])
            return try await attempt(Way(proxy: proxy))
        }
        let addresses = try await ResolvedAddresses.resolve(
            url, on: MultiThreadedEventLoopGroup.singleton.any(), deadline: deadline)
        try check(addresses.texts)
        if url.scheme == .http, !allowsPlainHTTP, !addresses.areAllLoopback {
            throw .plainHTTPRefused(url: url.text)
        }
        var failure = KeySetFetchFailure.hostNotResolved(host: url.host, reason: "it has no address")
        let candidates = addresses.texts.prefix(ResolvedAddresses.limit)
        for (index, address) in candidates.enumerated() where deadline > .now() {
            do {
                let isLast = index == candidates.count - 1
                return try await attempt(Way(address: address, count: candidates.count, isLast: isLast))
            } catch {
                guard case .connectionFailed = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    /// Throws if a document named the URL, and an address is in a more private network than the document's own.
    private func check(_ addresses: [String]) throws(KeySetFetchFailure) {
        guard case .learnt(let issuer) = origin else { return }
        guard let refused = ResolvedAddresses(texts: addresses).firstRefused(forIssuer: issuer) else { return }
        throw .addressRefused(url: url.text, address: refused.text, refused.1, issuer: issuer)
    }

    /// Settings of an HTTP client that uses one way to the server. `connect` is the time limit for the connection.
    func settings(
        for way: Way,
        showing shown: ShownCredentials = .none,
        connect: TimeAmount,
    ) async throws(KeySetFetchFailure) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let caFile { tls.trustRoots = .certificates(try await TrustAnchorFile.read(caFile)) }
        tls.certificateChain = shown.certificate
        tls.privateKey = shown.key
        // No content coding is requested. Some servers answer with gzip anyway, even with several members. The HTTP
        // client would decode only the first, so its decompression is disabled.
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.timeout.connect = max(.milliseconds(1), connect)
        // Attempts are repeated with our own backoff, not with the client's.
        settings.connectionPool.retryConnectionEstablishment = false
        settings.proxy = way.proxy.map { proxy in
            let authorization = proxy.credentials.map {
                HTTPClient.Authorization.basic(username: $0.username, password: $0.password)
            }
            return .server(host: proxy.host, port: proxy.port, authorization: authorization)
        }
        if let address = way.address, address != url.host { settings.dnsOverride = [url.host: address] }
        return settings
    }
}

// MARK: The answer

extension IssuerServer {
    /// Failure for an error that occurred before the head of an answer.
    func failure(of error: any Error) -> KeySetFetchFailure {
        let reason = PlainReason.of(error)
        guard error is NIOSSLError || error is NIOSSLExtraError else {
            return .connectionFailed(url: url.text, reason: reason)
        }
        return .certificateRefused(url: url.text, reason: reason)
    }

    /// Reads the body of an answer.
    ///
    /// - Parameter overhead: bytes that the content coding may add to the limit.
    func body(of response: HTTPClientResponse, limit: Int, overhead: Int = 0) async throws(KeySetFetchFailure)
        -> [UInt8]
    {
        let tooLarge = KeySetFetchFailure.tooLarge(source: url.text, limit: limit)
        let most = limit + overhead
        if let announced = response.headers.first(name: "Content-Length").flatMap({ Int($0) }), announced > most {
            throw tooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard part.readableBytes <= most - bytes.count else { throw tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let failure as KeySetFetchFailure {
            throw failure
        } catch {
            throw .incomplete(url: url.text, reason: PlainReason.of(error))
        }
        return bytes
    }
}

extension HTTPClientResponse {
    /// Time in `Retry-After`. Nil if the field is absent or not a number of seconds.
    var retryAfter: Duration? {
        headers.first(name: "Retry-After").flatMap { CacheFreshness.seconds($0[...]) }.map { .seconds($0) }
    }
}
