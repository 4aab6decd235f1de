import KeySets
import NetworkNames
import Synchronization
import TokenIntrospection

/// Learns the introspection endpoint of an issuer from its metadata when it is first needed. All requests that wait
/// share one fetch.
final class EndpointLearner: Sendable {
    /// Endpoint that the metadata named, and the class of the address that served it.
    struct Learnt: Sendable, Hashable {
        let url: HTTPURL
        let issuer: AddressClass
        let learntAt: ContinuousClock.Instant
    }

    private typealias Learning = Task<Result<Learnt, IntrospectionFailure>, Never>

    private struct State: Sendable {
        var learnt: Learnt?
        var learning: Learning?
    }

    /// Shortest time for which an endpoint is kept despite failures that tokens may have caused. Untrusted clients must
    /// not decide how often metadata is fetched.
    static let leastLifetime = Duration.seconds(60)

    private let source: String
    private let fetch: MetadataFetch
    private let limit: Duration
    private let state = Mutex(State())

    /// - Parameter limit: the longest time for learning the endpoint.
    init(from document: IssuerDocument, within limit: Duration, proxies: ProxyEnvironment) {
        source = document.source.description
        fetch = MetadataFetch(client: DocumentClient(document.configuration, proxies: proxies))
        self.limit = limit
    }

    /// The endpoint that was learnt last. Nil if none was, or if it was forgotten after a failure.
    var known: HTTPURL? { state.withLock { $0.learnt?.url } }

    /// The learnt endpoint. Fetches the metadata if none is learnt, or if it is too old.
    func endpoint(at now: ContinuousClock.Instant) async throws(IntrospectionFailure) -> Learnt {
        if let learnt = state.withLock({ $0.learnt }), learnt.learntAt.duration(to: now) < MetadataFetch.lifetime {
            return learnt
        }
        let learning = state.withLock { state in
            if let learning = state.learning { return learning }
            let learning = Learning { await self.learn() }
            state.learning = learning
            return learning
        }
        return try await learning.value.get()
    }

    /// Forgets the endpoint after a failed question: the issuer may have a new endpoint.
    func questionFailed(at used: Learnt, _ fault: IntrospectionFault, at now: ContinuousClock.Instant) {
        if fault == .other, used.learntAt.duration(to: now) < Self.leastLifetime { return }
        state.withLock { state in
            if state.learnt == used { state.learnt = nil }
        }
    }

    func stop() {
        state.withLock { $0.learning }?.cancel()
    }

    private func learn() async -> Result<Learnt, IntrospectionFailure> {
        let result: Result<Learnt, IntrospectionFailure>
        do throws(KeySetFetchFailure) {
            let document = try await fetch.document(within: limit)
            result = document.metadata.introspectionEndpoint
                .map { Learnt(url: $0, issuer: document.addressClass, learntAt: .now) }
                .mapError { .endpointNotNamed(source: source, $0) }
        } catch {
            result = .failure(.endpointNotLearnt(error))
        }
        state.withLock { state in
            state.learning = nil
            state.learnt = try? result.get()
        }
        return result
    }
}
