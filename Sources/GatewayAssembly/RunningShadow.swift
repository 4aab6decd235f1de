import ConfigurationFile
import DenyLists
import JOSE
import KeySetFetching
import KeySets
import KnownTokens
import RequestAuthorization
import ReverseProxy
import TokenIntrospection
import TokenVerification
import TypedIndices

/// The file of `--shadow` beside a running gateway: every request is judged by it, and none obeys it.
struct RunningShadow: Sendable {
    let configuration: Configuration
    /// Those that the file in force does not name. They save nothing, and nothing waits for them.
    let keySets: KeySetCollection
    let policy: ShadowPolicy

    /// Of the tokens that its file would have room for; those of the file in force are remembered besides.
    private static let cacheShare = 4

    /// What it is built beside.
    struct InForce {
        let configuration: Configuration
        let contacts: IssuerContacts
        let authorizer: RequestAuthorizer
        /// nil: nothing is denied.
        let denials: DenyList?
        let generation: Int
        let digestKey: TokenDigestKey
    }

    /// - Parameter predecessor: whose own key sets live on where both name them.
    /// - Returns: nil only if a key set is missing, or two resources are at one place; both would be bugs.
    static func make(_ configuration: Configuration, beside inForce: InForce, after predecessor: RunningShadow?) async
        -> RunningShadow?
    {
        let known = inForce.contacts.keySets
        let own = configuration.issuers.flatMap(\.keySets).filter { known.keySet(for: $0) == nil }
        let keySets: KeySetCollection
        if let predecessor {
            keySets = await predecessor.keySets.updated(to: own)
        } else {
            keySets = known.besides(own)
            await keySets.start()
        }
        guard let policy = policy(configuration, keySets, beside: inForce) else { return nil }
        return RunningShadow(configuration: configuration, keySets: keySets, policy: policy)
    }

    private static func policy(_ configuration: Configuration, _ keySets: KeySetCollection, beside inForce: InForce)
        -> ShadowPolicy?
    {
        var issuers: IndexedBy<IssuerIndex, IssuerKeys> = []
        for issuer in configuration.issuers {
            let stores = issuer.keySets.compactMap { source in
                (inForce.contacts.keySets.keySet(for: source) ?? keySets.keySet(for: source))?.store
            }
            guard stores.count == issuer.keySets.count else { return nil }
            // An empty one: answers belong to who asks, and the shadow does not.
            let introspection = issuer.introspection.map { _ in IntrospectionStore() }
            issuers.append(IssuerKeys(issuer: issuer.trusted, stores: IndexedBy(stores), introspection: introspection))
        }
        let denials = denials(configuration, beside: inForce)
        let size = configuration.tokenCache / cacheShare
        // Always a new one: what vouches for a token may be another key set since.
        let cache = size > 0 ? VerifiedTokenCache(byteLimit: size) : nil
        let authorizer = try? RequestAuthorizer(
            resources: configuration.protectedResources, issuers: issuers, digestKey: inForce.digestKey, cache: cache,
            denials: denials)
        guard let authorizer else { return nil }
        let shadow = ShadowAuthorizer(
            authorizer, beside: inForce.authorizer,
            introspectionAgrees: { own, other in
                inForce.configuration.issuers[own]?.introspection == configuration.issuers[other]?.introspection
            },
            takesDenials: configuration.takesDenials && denials !== inForce.denials)
        return ShadowPolicy(shadow, besideGeneration: inForce.generation)
    }

    /// The list in force where both files name the same one; else what its own file said when it was read.
    private static func denials(_ configuration: Configuration, beside inForce: InForce) -> DenyList? {
        let other = inForce.configuration
        if configuration.denyFile == other.denyFile, configuration.denyIssuers == other.denyIssuers,
            configuration.takesDenials == other.takesDenials
        {
            return inForce.denials
        }
        guard configuration.hasDenyList else { return nil }
        return DenyDigests.process.map { digests in
            let list = DenyList(digests)
            list.replace(.file, by: configuration.denyReading?.table ?? .empty)
            return list
        }
    }
}

/// How the file of `--shadow` fared.
struct ShadowFileState {
    private(set) var loads = ReloadCounts()
    private(set) var loadedAt: NumericDate?
    private(set) var lastError: String?

    func loaded(at time: NumericDate) -> ShadowFileState {
        var next = self
        next.loads.succeeded += 1
        (next.loadedAt, next.lastError) = (time, nil)
        return next
    }

    /// The file was not put in place; what was, stays.
    func refused(_ cause: String) -> ShadowFileState {
        var next = self
        next.loads.refused += 1
        next.lastError = cause
        return next
    }
}
