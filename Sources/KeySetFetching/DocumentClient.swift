import AsyncHTTPClient
import KeySets
import NIOCore
import NIOHTTP1
import NIOPosix
import NetworkNames
import TokenVerification

/// Gets one document from an ``IssuerServer``.
///
/// Each document gets a separate HTTP client, so no connection, address or credentials are reused in the next fetch.
struct DocumentClient: Sendable {
    struct Document: Sendable {
        var bytes: [UInt8]
        var freshness: Duration?
        var validator: String?
        /// Class of the address that answered. Global if a proxy resolved the name.
        var addressClass: AddressClass
    }

    enum Answer: Sendable {
        case document(Document)
        /// 304: the version with the given validator is still current.
        case notModified(freshness: Duration?)
    }

    let configuration: KeySetConfiguration
    let proxies: ProxyEnvironment

    init(_ configuration: KeySetConfiguration, proxies: ProxyEnvironment) {
        self.configuration = configuration
        self.proxies = proxies
    }

    /// Gets a document. `validator` is the entity tag of the version from an earlier fetch (RFC 9110 §13.1.2).
    ///
    /// The deadline bounds each step up to the head of the answer, but not the body. The caller must cancel the task
    /// when the time is over.
    func get(
        _ url: HTTPURL,
        origin: IssuerServer.Origin,
        validator: String? = nil,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        let server = IssuerServer(
            url: url, origin: origin, allowsPlainHTTP: configuration.allowsPlainHTTP, caFile: configuration.caFile,
            proxies: proxies)
        try server.checkScheme()
        let mayShow = configuration.mayShowCredentials(at: url)
        let shown =
            if mayShow, let credentials = configuration.credentials {
                try await ShownCredentials.read(credentials)
            } else {
                ShownCredentials.none
            }
        let request = Self.request(to: server, validator: validator, authorization: shown.authorization)
        return try await server.connect(until: deadline) { way throws(KeySetFetchFailure) in
            // Each address except the last gets half of the remaining time.
            let left = deadline - .now()
            let settings = try await server.settings(
                for: way, showing: shown, connect: way.isLast ? left : .nanoseconds(left.nanoseconds / 2))
            let addressClass = way.address.flatMap { IPAddress($0)?.addressClass } ?? .global
            return try await exchange(request, with: server, settings, addressClass: addressClass, deadline: deadline)
        }
    }

    private static func request(to server: IssuerServer, validator: String?, authorization: String?)
        -> HTTPClientRequest
    {
        var request = server.request(accepting: "application/json, application/jwk-set+json;q=0.9, */*;q=0.1")
        request.headers.add(name: "User-Agent", value: "bearward")
        if let authorization { request.headers.add(name: "Authorization", value: authorization) }
        if let validator { request.headers.add(name: "If-None-Match", value: validator) }
        return request
    }

    private func exchange(
        _ request: HTTPClientRequest,
        with server: IssuerServer,
        _ settings: HTTPClient.Configuration,
        addressClass: AddressClass,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        let result: Result<Answer, KeySetFetchFailure>
        do {
            result = try await HTTPClient.withHTTPClient(
                eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings
            ) { client in
                do throws(KeySetFetchFailure) {
                    let response = try await head(of: request, from: client, of: server, deadline: deadline)
                    return .success(try await read(response, of: server, addressClass: addressClass))
                } catch {
                    return .failure(error)
                }
            }
        } catch {
            throw .connectionFailed(url: server.url.text, reason: PlainReason.of(error))
        }
        return try result.get()
    }

    private func head(
        of request: HTTPClientRequest,
        from client: HTTPClient,
        of server: IssuerServer,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> HTTPClientResponse {
        do {
            return try await client.execute(request, deadline: deadline)
        } catch {
            throw server.failure(of: error)
        }
    }
}

// MARK: The answer

extension DocumentClient {
    private func read(
        _ response: HTTPClientResponse,
        of server: IssuerServer,
        addressClass: AddressClass,
    ) async throws(KeySetFetchFailure) -> Answer {
        let (url, headers) = (server.url.text, response.headers)
        let freshness = CacheFreshness.lifetime(cacheControl: headers["Cache-Control"], age: headers.first(name: "Age"))
        switch response.status.code {
        // 203: a proxy of the issuer changed the answer (RFC 9110 §15.3.4). The proxy is part of the issuer's TLS
        // server, so the answer is accepted.
        case 200, 203: break
        case 304: return .notModified(freshness: freshness)
        case 300..<400:
            throw .redirected(url: url, status: Int(response.status.code), to: headers.first(name: "Location"))
        default:
            throw .unexpectedStatus(url: url, Int(response.status.code), retryAfter: response.retryAfter)
        }
        let codings = headers[canonicalForm: "Content-Encoding"].map { $0.lowercased() }
        guard codings == ["gzip"] || codings.allSatisfy({ $0 == "identity" }) else {
            throw .encoded(url: url, coding: codings.joined(separator: ", "))
        }
        let isGzip = codings == ["gzip"]
        let received = try await server.body(
            of: response, limit: configuration.documentLimit, overhead: isGzip ? Self.gzipOverhead : 0)
        let bytes = isGzip ? try decoded(received, at: url) : received
        return .document(
            Document(
                bytes: bytes, freshness: freshness, validator: headers.first(name: "ETag"), addressClass: addressClass))
    }

    /// Bytes that gzip may add to a document of the greatest length, if it cannot be compressed.
    private static let gzipOverhead = 1024

    private func decoded(_ bytes: [UInt8], at url: String) throws(KeySetFetchFailure) -> [UInt8] {
        do throws(GzipRejection) {
            return try GzipDecoder.decode(bytes, limit: configuration.documentLimit)
        } catch {
            switch error {
            case .tooLong: throw .tooLarge(source: url, limit: configuration.documentLimit)
            case .notGzip: throw .notGzip(url: url)
            case .outOfMemory: throw .incomplete(url: url, reason: "out of memory while decoding it")
            }
        }
    }
}
