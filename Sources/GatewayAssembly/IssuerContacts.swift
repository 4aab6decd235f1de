import Administration
import ConfigurationFile
import JOSE
import KeySetFetching
import KeySets
import Logging
import Logs
import RequestAuthorization
import TokenIntrospection
import TokenVerification

/// Connections to the issuers of one configuration: their key sets and introspection.
///
/// Each value is made from its predecessor. Key sets and introspection that both configurations name are kept with
/// their state.
struct IssuerContacts: Sendable {
    let keySets: KeySetCollection
    /// Key sets in force, which a shadow uses if its file names the same. Nil for the configuration in force.
    private let shared: KeySetCollection?
    private let introspectors: [IntrospectionConfiguration: TokenIntrospector]
    private let issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>
    private let logger: Logger

    /// Contacts without issuers, the predecessor of the first configuration's.
    static func none(keySets: KeySetCollection, logger: Logger) -> IssuerContacts {
        IssuerContacts(keySets: keySets, shared: nil, introspectors: [:], issuers: [], logger: logger)
    }

    // MARK: Life

    /// Makes and starts the contacts of a new configuration. These contacts are not changed; see ``stop(keptBy:)``.
    ///
    /// - Parameter inForce: contacts whose key sets a shadow shares. A shadow sends no introspection requests. Nil for
    ///   the configuration in force.
    func updated(to issuers: IndexedBy<IssuerIndex, ConfiguredIssuer>, beside inForce: IssuerContacts?) async
        -> IssuerContacts
    {
        let shared = inForce?.keySets
        var introspectors: [IntrospectionConfiguration: TokenIntrospector] = [:]
        for configuration in Set(shared == nil ? issuers.compactMap(\.introspectionConfiguration) : []) {
            let known = self.introspectors[configuration]
            let introspector = known ?? TokenIntrospector(configuration, logger: logger)
            if known == nil { await introspector.start() }
            introspectors[configuration] = introspector
        }
        let own = issuers.flatMap(\.keySets).filter { shared?.keySet(for: $0) == nil }
        let ownRealms = issuers.compactMap(\.realms).filter { shared?.realms(for: $0) == nil }
        var names = IssuerNames()
        for issuer in issuers { names.add(issuer.trusted.name, keySets: issuer.keySets, realms: issuer.realms) }
        return IssuerContacts(
            keySets: await keySets.updated(to: own, realms: ownRealms, names: names), shared: shared,
            introspectors: introspectors,
            issuers: issuers,
            logger: logger)
    }

    /// Stops all parts that the successor does not use. Without a successor, stops all.
    func stop(keptBy successor: IssuerContacts?) async {
        await keySets.stop(keptBy: successor?.keySets)
        for (configuration, introspector) in introspectors where successor?.introspectors[configuration] == nil {
            await introspector.stop()
        }
    }

    // MARK: Use

    /// Issuers with the stores that requests read. Nil if a key set is missing, which would be a bug.
    var issuerKeys: IndexedBy<IssuerIndex, IssuerKeyStores>? {
        var all: IndexedBy<IssuerIndex, IssuerKeyStores> = []
        for issuer in issuers {
            let stores = issuer.keySets.compactMap { keySet(for: $0)?.store }
            guard stores.count == issuer.keySets.count else { return nil }
            let realms = realms(of: issuer)?.stores
            guard issuer.realms == nil || realms != nil else { return nil }
            // A shadow gets an empty store, since it sends no introspection requests and must not use the answers to
            // others.
            let introspection = issuer.introspection.map { _ in
                introspector(of: issuer)?.store ?? IntrospectionStore()
            }
            all.append(
                IssuerKeyStores(
                    issuer: issuer.trusted, stores: IndexedBy(stores), realms: realms, introspection: introspection))
        }
        return all
    }

    private func keySet(for configuration: KeySetConfiguration) -> RemoteKeySet? {
        shared?.keySet(for: configuration) ?? keySets.keySet(for: configuration)
    }

    /// Key sets of the realms of an issuer. Nil if it has no realms by pattern.
    private func realms(of issuer: ConfiguredIssuer) -> RealmKeySets? {
        issuer.realms.flatMap { shared?.realms(for: $0) ?? keySets.realms(for: $0) }
    }

    /// Fetches the data that a request waits for.
    func answer(_ wait: TokenWait) async -> TokenAnswer {
        switch wait {
        case .keys(let wait):
            if case .realm(let realm) = wait.place {
                guard let realms = issuers[wait.issuer].flatMap(realms) else { return TokenWait.keys(wait).unavailable }
                return .keys(await realms.answer(realm: realm, keyID: wait.keyID))
            }
            let asked = await keySets(behind: wait)
            guard !asked.isEmpty else { return TokenWait.keys(wait).unavailable }
            return .keys(await RemoteKeySet.answer(keyID: wait.keyID, fromAnyOf: asked))
        case .introspection(let question):
            guard let introspector = issuers[question.issuer].flatMap(introspector) else { return wait.unavailable }
            return .introspection(
                await introspector.answer(for: question.token, digest: question.digest, of: question.client))
        }
    }

    /// Key sets that may contain the key that a request waits for.
    private func keySets(behind wait: KeyWait) async -> [RemoteKeySet] {
        guard let issuer = issuers[wait.issuer], case .keySet(let index) = wait.place else { return [] }
        if let realms = realms(of: issuer) { return [await realms.keySet(at: index)].compactMap(\.self) }
        let configured =
            issuer.trusted.mergesKeySets ? Array(issuer.keySets) : issuer.keySets[index].map { [$0] } ?? []
        return configured.compactMap(keySet)
    }

    /// Fetches the keys of an issuer now, at an operator's request. Nil if there is no issuer with this name.
    func refresh(issuer name: String) async -> KeyRefresh? {
        guard let issuer = issuers.first(where: { $0.trusted.name.utf8.elementsEqual(name.utf8) }) else { return nil }
        let asked = await keySets(of: issuer)
        let refreshed = await withTaskGroup(of: (Int, KeyRefresh.KeySet).self) { group in
            for (index, keySet) in asked.enumerated() { group.addTask { (index, await Self.refresh(keySet)) } }
            var all: [(Int, KeyRefresh.KeySet)] = []
            for await one in group { all.append(one) }
            return all.sorted { $0.0 < $1.0 }.map(\.1)
        }
        note(refreshed.compactMap(\.failure), of: name)
        return KeyRefresh(issuer: name, keySets: refreshed)
    }

    /// All key sets of an issuer, with those of its realms that have a place.
    private func keySets(of issuer: ConfiguredIssuer) async -> [RemoteKeySet] {
        let realms = await realms(of: issuer)?.keySets ?? []
        return issuer.keySets.compactMap(keySet) + realms
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

    /// States of all issuers' key sets and introspection, in the order of the issuers.
    func statuses() async -> [Readiness.Issuer] {
        var all: [Readiness.Issuer] = []
        for issuer in issuers {
            var statuses: [KeySetStatus] = []
            for keySet in await keySets(of: issuer) { statuses.append(await keySet.status) }
            let introspection = await introspector(of: issuer)?.status
            let realms = await realms(of: issuer)?.status
            all.append(
                Readiness.Issuer(
                    name: issuer.trusted.name, keySets: statuses, realms: realms, introspection: introspection))
        }
        return all
    }
}

extension ConfiguredIssuer {
    /// Configuration of the issuer's introspection. Nil if its opaque tokens are rejected.
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
