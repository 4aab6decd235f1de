import Administration
import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import Logging
import OperationalLog
import RequestAuthorization
import TokenIntrospection
import TokenVerification
import TypedIndices

/// The remote state of one configuration's issuers: their key sets and their introspection.
///
/// A reload makes a new one from its predecessor; what both configurations name is kept with its state.
struct IssuerContacts: Sendable {
    let keySets: KeySetCollection
    private let introspectors: [IntrospectionConfiguration: TokenIntrospector]
    private let issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>
    private let logger: Logger

    /// - Parameter directory: where the last good key sets are kept; nil: nowhere.
    init(_ issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>, directory: KeySetDirectory?, logger: Logger) {
        let configurations = issuers.compactMap(\.introspectionConfiguration)
        self.init(
            keySets: KeySetCollection(issuers.flatMap(\.keySets), directory: directory, logger: logger),
            introspectors: Self.introspectors(configurations, known: [:], logger: logger), issuers: issuers,
            logger: logger,
        )
    }

    private init(
        keySets: KeySetCollection, introspectors: [IntrospectionConfiguration: TokenIntrospector],
        issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>, logger: Logger
    ) {
        self.keySets = keySets
        self.introspectors = introspectors
        self.issuers = issuers
        self.logger = logger
    }

    private static func introspectors(
        _ configurations: [IntrospectionConfiguration], known: [IntrospectionConfiguration: TokenIntrospector],
        logger: Logger
    ) -> [IntrospectionConfiguration: TokenIntrospector] {
        let pairs = configurations.map { ($0, known[$0] ?? TokenIntrospector($0, logger: logger)) }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    // MARK: Life

    func start() async {
        await keySets.start()
        for introspector in introspectors.values { await introspector.start() }
    }

    /// The contacts of a new configuration, started. Nothing is taken from these: see ``stopUnused(keptBy:)``.
    func updated(to issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>) async -> IssuerContacts {
        let configurations = issuers.compactMap(\.introspectionConfiguration)
        let introspectors = Self.introspectors(configurations, known: introspectors, logger: logger)
        for (configuration, introspector) in introspectors where self.introspectors[configuration] == nil {
            await introspector.start()
        }
        let keySets = await keySets.updated(to: issuers.flatMap(\.keySets))
        return IssuerContacts(keySets: keySets, introspectors: introspectors, issuers: issuers, logger: logger)
    }

    /// Stops everything here that the successor does not use.
    func stopUnused(keptBy successor: IssuerContacts) async {
        await keySets.stopUnused(keptBy: successor.keySets)
        for (configuration, introspector) in introspectors where successor.introspectors[configuration] == nil {
            await introspector.stop()
        }
    }

    func stop() async {
        await keySets.stop()
        for introspector in introspectors.values { await introspector.stop() }
    }

    // MARK: Use

    /// The issuers as requests see them; nil only if a key set is missing, which would be a bug here.
    var issuerKeys: IndexedBy<IssuerIndex, IssuerKeys>? {
        var all: IndexedBy<IssuerIndex, IssuerKeys> = []
        for issuer in issuers {
            let stores = issuer.keySets.compactMap { keySets.keySet(for: $0)?.store }
            guard stores.count == issuer.keySets.count else { return nil }
            all.append(
                IssuerKeys(
                    issuer: issuer.trusted, stores: IndexedBy(stores), introspection: introspector(of: issuer)?.store))
        }
        return all
    }

    /// Waits for what a request needs.
    func answer(_ wait: AuthorizationWait) async -> AuthorizationAnswer {
        switch wait {
        case .keys(let wait):
            let asked = keySets(behind: wait)
            guard !asked.isEmpty else { return AuthorizationWait.keys(wait).unavailable }
            return .keys(await RemoteKeySet.answer(keyID: wait.keyID, fromAnyOf: asked))
        case .introspection(let question):
            guard let introspector = issuers[question.issuer].flatMap(introspector) else { return wait.unavailable }
            return .introspection(
                await introspector.answer(for: question.token, digest: question.digest, of: question.client))
        // The store that counts is asked by the event loops themselves.
        case .quotas: return wait.unavailable
        }
    }

    /// The key sets that may have the key that is waited for.
    private func keySets(behind wait: KeyWait) -> [RemoteKeySet] {
        guard let issuer = issuers[wait.issuer] else { return [] }
        let configured =
            issuer.trusted.mergesKeySets ? Array(issuer.keySets) : issuer.keySets[wait.keySet].map { [$0] } ?? []
        return configured.compactMap { keySets.keySet(for: $0) }
    }

    /// Has the keys of an issuer fetched now; nil: there is none of this name.
    func refresh(issuer name: String) async -> KeyRefresh? {
        guard let issuer = issuers.first(where: { $0.trusted.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        let asked = issuer.keySets.compactMap { keySets.keySet(for: $0) }
        let refreshed = await withTaskGroup(of: (Int, KeyRefresh.KeySet).self) { group in
            for (index, keySet) in asked.enumerated() { group.addTask { (index, await Self.refresh(keySet)) } }
            var all: [(Int, KeyRefresh.KeySet)] = []
            for await one in group { all.append(one) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
        note(refreshed.compactMap(\.failure), of: name)
        return KeyRefresh(issuer: name, keySets: refreshed)
    }

    private func note(_ failures: [String], of issuer: String) {
        guard !failures.isEmpty else {
            return logger.notice("Keys fetched at an operator's request", [.issuer: .text(issuer)])
        }
        logger.warning(
            "Keys could not be fetched at an operator's request",
            [.issuer: .text(issuer), .cause: .text(failures.joined(separator: "; "))])
    }

    private static func refresh(_ keySet: RemoteKeySet) async -> KeyRefresh.KeySet {
        let failure = await keySet.refresh()
        let status = await keySet.status
        return KeyRefresh.KeySet(
            source: status.source.description, keyCount: status.usableKeyCount, failure: failure?.description)
    }

    private func introspector(of issuer: ConfiguredIssuer) -> TokenIntrospector? {
        issuer.introspectionConfiguration.flatMap { introspectors[$0] }
    }

    /// How each issuer's key sets and introspection are doing, in the order of the issuers.
    func statuses() async -> [(issuer: String, keySets: [KeySetStatus], introspection: IntrospectionStatus?)] {
        var all: [(String, [KeySetStatus], IntrospectionStatus?)] = []
        for issuer in issuers {
            var statuses: [KeySetStatus] = []
            for keySet in issuer.keySets {
                if let status = await keySets.keySet(for: keySet)?.status { statuses.append(status) }
            }
            all.append((issuer.trusted.name, statuses, await introspector(of: issuer)?.status))
        }
        return all
    }
}

extension ConfiguredIssuer {
    /// What is asked about its opaque tokens, and how.
    public var introspectionConfiguration: IntrospectionConfiguration? {
        guard let introspection else { return nil }
        var configuration = IntrospectionConfiguration(
            issuer: trusted.name, endpoint: introspection.endpoint, clientID: introspection.clientID,
            clientSecretFile: introspection.clientSecretFile,
            caFile: introspection.caFile, allowsPlainHTTP: introspection.allowsPlainHTTP,
        )
        configuration.cacheLimit = introspection.cacheLimit
        return configuration
    }
}
