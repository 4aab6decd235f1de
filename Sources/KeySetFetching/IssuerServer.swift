import AsyncHTTPClient
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkNames

/// The server of one URL, and the terms on which anything is asked there: HTTP/1.1, no redirects, no more bytes than
/// allowed, and only from an address that was checked. TLS is verified in full, always.
struct IssuerServer: Sendable {
    /// Origin of the URL, which decides where it may lead.
    enum Origin: Sendable, Hashable {
        /// The operator wrote it: any address.
        case configured
        /// A document named it: no address of a narrower class than the issuer's own.
        case learnt(issuer: AddressClass)
    }

    /// One way to the server: through the proxy, or to an address.
    struct Way: Sendable {
        var proxy: ProxyEnvironment.Proxy?
        /// Nil if the proxy finds the address.
        var address: String?
        /// Number of ways.
        var count = 1
        var isLast = true
    }

    let url: HTTPURL
    let origin: Origin
    let allowsPlainHTTP: Bool
    let caFile: String?
    let proxies: ProxyEnvironment

    /// Refuses what is plain http by its URL alone.
    func checkScheme() throws(KeySetFetchFailure) {
        guard url.scheme == .https || url.namesLoopback || allowsPlainHTTP else {
            throw .plainHTTPRefused(url: url.text)
        }
    }

    /// A request for the URL, with the fields that all requests begin with.
    func request(accepting types: String) -> HTTPClientRequest {
        // Built from the parsed parts: the host that was checked, in the one spelling, is the host that is sent.
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
    /// Through the proxy, or to one address after the other until one can be connected to.
    func connect<Answer>(
        until deadline: NIODeadline,
        _ attempt: (Way) async throws(KeySetFetchFailure) -> Answer,
    ) async throws(KeySetFetchFailure) -> Answer {
        if let proxy = try proxies.proxy(for: url) {
            // The proxy looks names up, out of our sight; what can be seen here is refused here.
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

    /// Refuses what a document named and leads to a narrower network than the document's own.
    private func check(_ addresses: [String]) throws(KeySetFetchFailure) {
        guard case .learnt(let issuer) = origin else { return }
        guard let refused = ResolvedAddresses(texts: addresses).firstRefused(forIssuer: issuer) else { return }
        throw .addressRefused(url: url.text, address: refused.text, refused.1, issuer: issuer)
    }

    /// Settings of a client that takes one way, for as long as connecting may last.
    func settings(
        for way: Way,
        showing shown: ShownCredentials = .none,
        connect: TimeAmount,
    ) async throws(KeySetFetchFailure) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let caFile { tls.trustRoots = .certificates(try await TrustAnchors.read(caFile)) }
        tls.certificateChain = shown.certificate
        tls.privateKey = shown.key
        // No coding is asked for. Some servers answer with gzip all the same, of several members too, of which the
        // client decodes the first.
        var settings = HTTPClient.Configuration(
            tlsConfiguration: tls, redirectConfiguration: .disallow, decompression: .disabled)
        settings.httpVersion = .http1Only
        settings.timeout.connect = max(.milliseconds(1), connect)
        // Attempts follow each other by our own backoff, not by the client's.
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
    /// Cause why no response head arrived.
    func failure(of error: any Error) -> KeySetFetchFailure {
        let reason = PlainReason.of(error)
        guard error is NIOSSLError || error is NIOSSLExtraError else {
            return .connectionFailed(url: url.text, reason: reason)
        }
        return .certificateRefused(url: url.text, reason: reason)
    }

    /// Reads the body of an answer.
    ///
    /// - Parameter overhead: what its coding may add to the limit.
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
    /// Delay that the server asks for.
    var retryAfter: Duration? {
        headers.first(name: "Retry-After").flatMap { CacheFreshness.seconds($0[...]) }.map { .seconds($0) }
    }
}
