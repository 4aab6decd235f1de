import AsyncHTTPClient
import GzipDecoding
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NetworkNames
import TokenVerification

/// Gets one document over HTTP: no redirects, no more bytes than allowed, and only from an address that was checked.
///
/// A client of its own for each document keeps no connection, address or credentials from one fetch to the next. TLS is
/// verified in full, always.
struct DocumentClient: Sendable {
    /// How the URL became known, and so where it may lead.
    enum Origin: Sendable, Hashable {
        /// The operator wrote it: any address.
        case configured
        /// A document named it: no address of a narrower class than the issuer's own.
        case learnt(issuer: AddressClass)
    }

    struct Document: Sendable {
        var bytes: [UInt8]
        var freshness: Duration?
        var validator: String?
        /// The class of the address that answered; public when a proxy found the address.
        var addressClass: AddressClass
    }

    enum Answer: Sendable {
        case document(Document)
        /// 304: what the validator was given with is still current.
        case notModified(freshness: Duration?)
    }

    let configuration: KeySetConfiguration
    let proxies: ProxyEnvironment
    let eventLoopGroup: any EventLoopGroup

    init(_ configuration: KeySetConfiguration, proxies: ProxyEnvironment) {
        self.configuration = configuration
        self.proxies = proxies
        eventLoopGroup = MultiThreadedEventLoopGroup.singleton
    }

    /// Gets a document; `validator` is the entity tag of the version that is already there (RFC 9110 §13.1.2).
    ///
    /// The deadline bounds each step up to the answer's head, but not its body: the caller cancels the task when the
    /// time is over.
    func get(
        _ url: HTTPURL,
        origin: Origin,
        validator: String? = nil,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        if url.scheme == .http, !url.namesLoopback, !configuration.allowsPlainHTTP {
            throw .plainHTTPRefused(url: url.text)
        }
        let mayShow = configuration.mayShowCredentials(at: url)
        let shown =
            if mayShow, let credentials = configuration.credentials {
                try await ShownCredentials.read(credentials)
            } else {
                ShownCredentials.none
            }
        let request = Self.request(for: url, validator: validator, authorization: shown.authorization)
        if let proxy = try proxies.proxy(for: url) {
            // The proxy looks names up, out of our sight; what can be seen here is refused here.
            try Self.check(url, IPAddress(url.host) == nil ? [] : [url.host], origin)
            let settings = try await settings(shown, proxy: proxy, connect: deadline - .now())
            return try await exchange(request, at: url, settings, addressClass: .global, deadline: deadline)
        }
        let addresses = try await ResolvedAddresses.resolve(url, on: eventLoopGroup.any(), deadline: deadline)
        try Self.check(url, addresses.texts, origin)
        if url.scheme == .http, !configuration.allowsPlainHTTP, !addresses.areAllLoopback {
            throw .plainHTTPRefused(url: url.text)
        }
        return try await tryEach(addresses, request, shown, at: url, deadline: deadline)
    }

    private static func request(for url: HTTPURL, validator: String?, authorization: String?) -> HTTPClientRequest {
        // Built from the parsed parts: the host that was checked, in the one spelling, is the host that is sent.
        let host = url.host.contains(":") ? "[\(url.host)]" : url.host
        let port = url.port == url.scheme.defaultPort ? "" : ":\(url.port)"
        var request = HTTPClientRequest(url: "\(url.scheme.rawValue)://\(host)\(port)\(url.target)")
        request.headers.add(name: "Accept", value: "application/json, application/jwk-set+json;q=0.9, */*;q=0.1")
        request.headers.add(name: "Accept-Encoding", value: "identity")
        request.headers.add(name: "User-Agent", value: "bearward")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let validator { request.headers.add(name: "If-None-Match", value: validator) }
        return request
    }

    /// Refuses what a document named and leads to a narrower network than the document's own.
    static func check(_ url: HTTPURL, _ addresses: [String], _ origin: Origin) throws(KeySetFetchFailure) {
        guard case .learnt(let issuer) = origin else { return }
        guard let refused = ResolvedAddresses(texts: addresses).firstRefused(forIssuer: issuer) else { return }
        throw .addressRefused(url: url.text, address: refused.text, refused.1, issuer: issuer)
    }
}

// MARK: Connecting

extension DocumentClient {
    /// One address after the other until one can be connected to; all but the last get half of the time that is left.
    private func tryEach(
        _ addresses: ResolvedAddresses,
        _ request: HTTPClientRequest,
        _ shown: ShownCredentials,
        at url: HTTPURL,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        var failure = KeySetFetchFailure.hostNotResolved(host: url.host, reason: "it has no address")
        let candidates = addresses.texts.prefix(ResolvedAddresses.limit)
        for (index, address) in candidates.enumerated() {
            let left = deadline - .now()
            guard left > .zero else { break }
            let connect = index == candidates.count - 1 ? left : .nanoseconds(left.nanoseconds / 2)
            var settings = try await settings(shown, proxy: nil, connect: connect)
            if address != url.host { settings.dnsOverride = [url.host: address] }
            do {
                let addressClass = IPAddress(address)?.addressClass ?? .global
                return try await exchange(request, at: url, settings, addressClass: addressClass, deadline: deadline)
            } catch {
                guard case .connectionFailed = error else { throw error }
                failure = error
            }
        }
        throw failure
    }

    private func settings(
        _ shown: ShownCredentials,
        proxy: ProxyEnvironment.Proxy?,
        connect: TimeAmount,
    ) async throws(KeySetFetchFailure) -> HTTPClient.Configuration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = configuration.caFile { tls.trustRoots = .certificates(try await TrustAnchors.read(path)) }
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
        settings.proxy = proxy.map { proxy in
            let authorization = proxy.credentials.map {
                HTTPClient.Authorization.basic(username: $0.username, password: $0.password)
            }
            return .server(host: proxy.host, port: proxy.port, authorization: authorization)
        }
        return settings
    }

    private func exchange(
        _ request: HTTPClientRequest,
        at url: HTTPURL,
        _ settings: HTTPClient.Configuration,
        addressClass: AddressClass,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        let result: Result<Answer, KeySetFetchFailure>
        do {
            result = try await HTTPClient.withHTTPClient(eventLoopGroup: eventLoopGroup, configuration: settings) {
                client in
                do throws(KeySetFetchFailure) {
                    let response = try await head(of: request, at: url, from: client, deadline: deadline)
                    return .success(try await read(response, at: url, addressClass: addressClass))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .connectionFailed(url: url.text, reason: PlainReason.of(error))
        }
        return try result.get()
    }

    private func head(
        of request: HTTPClientRequest,
        at url: HTTPURL,
        from client: HTTPClient,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> HTTPClientResponse {
        do {
            return try await client.execute(request, deadline: deadline)
        } catch  where error is NIOSSLError || error is NIOSSLExtraError {
            throw .certificateRefused(url: url.text, reason: PlainReason.of(error))
        } catch {
            throw .connectionFailed(url: url.text, reason: PlainReason.of(error))
        }
    }
}

// MARK: The answer

extension DocumentClient {
    private func read(
        _ response: HTTPClientResponse,
        at url: HTTPURL,
        addressClass: AddressClass,
    ) async throws(KeySetFetchFailure) -> Answer {
        let headers = response.headers
        let freshness = CacheFreshness.lifetime(cacheControl: headers["Cache-Control"], age: headers.first(name: "Age"))
        switch response.status.code {
        // 203: some proxy changed the answer on its way (RFC 9110 §15.3.4), whose TLS is the issuer's.
        case 200, 203: break
        case 304: return .notModified(freshness: freshness)
        case 300..<400:
            throw .redirected(url: url.text, status: Int(response.status.code), to: headers.first(name: "Location"))
        default:
            let retryAfter = headers.first(name: "Retry-After").flatMap { CacheFreshness.seconds($0[...]) }
            throw .unexpectedStatus(
                url: url.text, Int(response.status.code), retryAfter: retryAfter.map { .seconds($0) })
        }
        let codings = headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        guard codings == ["gzip"] || codings.allSatisfy({ $0 == "identity" }) else {
            throw .encoded(url: url.text, coding: codings.joined(separator: ", "))
        }
        let isGzip = codings == ["gzip"]
        let limit = configuration.documentLimit
        let received = try await body(of: response, at: url, limit: isGzip ? limit + Self.gzipOverhead : limit)
        let bytes = isGzip ? try decoded(received, at: url) : received
        return .document(
            Document(
                bytes: bytes, freshness: freshness, validator: headers.first(name: "ETag"), addressClass: addressClass))
    }

    private func body(of response: HTTPClientResponse, at url: HTTPURL, limit: Int) async throws(KeySetFetchFailure)
        -> [UInt8]
    {
        let tooLarge = KeySetFetchFailure.tooLarge(source: url.text, limit: configuration.documentLimit)
        if let announced = response.headers.first(name: "Content-Length").flatMap({ Int($0) }), announced > limit {
            throw tooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await part in response.body {
                guard part.readableBytes <= limit - bytes.count else { throw tooLarge }
                bytes.append(contentsOf: part.readableBytesView)
            }
        } catch let failure as KeySetFetchFailure {
            throw failure
        } catch {
            throw .incomplete(url: url.text, reason: PlainReason.of(error))
        }
        return bytes
    }

    /// What a document of the longest length may have around it in gzip, even if it does not become shorter.
    private static let gzipOverhead = 1024

    private func decoded(_ bytes: [UInt8], at url: HTTPURL) throws(KeySetFetchFailure) -> [UInt8] {
        do throws(GzipRejection) {
            return try GzipDecoder.decode(bytes, limit: configuration.documentLimit)
        } catch {
            switch error {
            case .tooLong: throw .tooLarge(source: url.text, limit: configuration.documentLimit)
            case .notGzip: throw .notGzip(url: url.text)
            case .outOfMemory: throw .incomplete(url: url.text, reason: "there is no memory to decode it")
            }
        }
    }
}
