import NIOCore
import NIOPosix
import NetworkNames

/// Addresses of a host name at one moment, in the order in which they are tried.
///
/// They are resolved once, checked, and then used for the connection. So a name that resolves to another address a
/// moment later (DNS rebinding) has no effect.
struct ResolvedAddresses: Sendable, Hashable {
    let texts: [String]

    /// Largest number of addresses that are tried. A server with more is reachable or not as a whole.
    static let limit = 4

    /// Returns the literal address, or the addresses from the system's resolver. The resolver runs on its own threads,
    /// never on an event loop.
    static func resolve(_ url: HTTPURL, on loop: any EventLoop, deadline: NIODeadline) async throws(KeySetFetchFailure)
        -> Self
    {
        if IPAddress(url.host) != nil { return Self(texts: [url.host]) }
        let found = loop.makePromise(of: [SocketAddress].self)
        let resolver = NIORandomizedDNSResolver(loop: loop)
        let expiry = loop.scheduleTask(deadline: deadline) { found.fail(ResolutionTimeout()) }
        // Both address families come from one call of the resolver, which the AAAA query starts.
        let ipv4 = resolver.initiateAQuery(host: url.host, port: url.port)
        resolver.initiateAAAAQuery(host: url.host, port: url.port).and(ipv4).map { Self.alternate($0, $1) }.cascade(
            to: found)
        do {
            let addresses = try await withTaskCancellationHandler {
                try await found.futureResult.get()
            } onCancel: {
                found.fail(ResolutionTimeout())
            }
            expiry.cancel()
            let texts = addresses.compactMap(\.ipAddress)
            guard !texts.isEmpty else {
                throw KeySetFetchFailure.hostNotResolved(host: url.host, reason: "it has no address")
            }
            return Self(texts: texts)
        } catch let failure as KeySetFetchFailure {
            throw failure
        } catch {
            expiry.cancel()
            throw .hostNotResolved(host: url.host, reason: Self.reason(of: error))
        }
    }

    private static func alternate(_ first: [SocketAddress], _ second: [SocketAddress]) -> [SocketAddress] {
        var merged: [SocketAddress] = []
        for index in 0..<max(first.count, second.count) {
            merged += first.dropFirst(index).prefix(1) + second.dropFirst(index).prefix(1)
        }
        return merged
    }

    private static func reason(of error: any Error) -> String {
        switch error {
        case is ResolutionTimeout: "no answer in time"
        case let unknown as SocketAddressError.UnknownHost: unknown.errorDescription
        default: "the resolver failed"
        }
    }

    private struct ResolutionTimeout: Error {}
}

extension ResolvedAddresses {
    /// The first address that a document's URL must not lead to: one in a more private network than the issuer's own,
    /// or an unassigned one. Nil if all are permitted.
    func firstRefused(forIssuer issuer: AddressClass) -> (text: String, AddressClass?)? {
        for text in texts {
            let found = IPAddress(text)?.addressClass
            guard let found, found <= issuer else { return (text, found) }
        }
        return nil
    }

    var areAllLoopback: Bool {
        texts.allSatisfy { IPAddress($0)?.addressClass == .loopback }
    }
}
