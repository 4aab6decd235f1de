import NIOCore
import NIOPosix
import NetworkNames

/// The addresses a host name led to at one moment, in the order to try them.
///
/// They are looked up once, checked, and connected to as they are: a name that leads elsewhere a moment
/// later (DNS rebinding) changes nothing.
struct ResolvedAddresses: Sendable, Hashable {
    let texts: [String]

    /// Largest number of addresses that are tried; a server with more is up or down as a whole.
    static let limit = 4

    /// The literal address, or what the system's resolver says; it runs on threads of its own, never on an event loop.
    static func resolve(_ url: HTTPURL, on loop: any EventLoop, deadline: NIODeadline) async throws(KeySetFetchFailure)
        -> Self
    {
        if IPAddress(url.host) != nil { return Self(texts: [url.host]) }
        let found = loop.makePromise(of: [SocketAddress].self)
        let resolver = NIORandomizedDNSResolver(loop: loop)
        let expiry = loop.scheduleTask(deadline: deadline) { found.fail(ResolutionTimeout()) }
        // Both families come from one call to the resolver, which the second of these starts.
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
    /// The narrowest and first address that is not allowed for a document learnt from an issuer of that class.
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
