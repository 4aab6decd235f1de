import JOSE
import KeySets
import Logging
import Logs
import TokenVerification

/// Key sets of an issuer's realms. A realm's keys are fetched when a token first names it; once it has keys, it has a
/// place, and its key set is kept up to date like any other.
///
/// Requests read ``stores``, and use this actor only to wait for a realm or a key that is not there.
public actor RealmKeySets {
    public nonisolated let configuration: RealmKeySetsConfiguration
    /// Stores of the realms that have a place.
    public nonisolated let stores = RealmStores()

    private let directory: KeySetDirectory?
    private let proxies: ProxyEnvironment
    private let tables: KeyTables?
    private var logger: Logger
    /// Names of the issuers whose realms these are. Nil if they are not known.
    private var issuers: String?
    private var members: [String: RemoteKeySet] = [:]
    private var fetching: [String: Task<KeyAnswer, Never>] = [:]
    private var admissions: RealmAdmissions
    private var isStopped = false
    private var toldOfFullness: ContinuousClock.Instant?

    /// Shortest time between two warnings that every place is taken.
    private static let warningInterval = Duration.seconds(60)

    init(
        _ configuration: RealmKeySetsConfiguration, directory: KeySetDirectory?, proxies: ProxyEnvironment,
        tables: KeyTables?, issuers: String?, logger: Logger
    ) {
        self.configuration = configuration
        self.directory = directory
        self.proxies = proxies
        self.tables = tables
        self.issuers = issuers
        self.logger = logger.naming(issuers)
        admissions = RealmAdmissions(most: configuration.most)
    }

    // MARK: Life

    /// Starts with the realms of predecessors, which are fetched in the same way, or else with those that were saved.
    func start(succeeding predecessors: [RealmKeySets]) async {
        for predecessor in predecessors {
            for (realm, member) in await predecessor.members.sorted(by: { $0.key < $1.key }) {
                guard configuration.pattern.accepts(realm), members[realm] == nil else { continue }
                guard members.count < configuration.most else { return }
                let own = makeMember(realm, succeeding: await member.succession)
                await own.start()
                place(realm, own)
            }
        }
        guard predecessors.isEmpty else { return }
        let saved = await directory?.savedRealms(for: configuration, logger) ?? []
        await withTaskGroup { group in
            for realm in saved {
                group.addTask { await self.restore(realm) }
            }
        }
    }

    /// Gives a saved realm its place if its saved keys are still usable. Without them, a token has to name it again.
    private func restore(_ realm: String) async {
        guard let directory,
            await directory.hasUsable(configuration.keySet(of: realm), logger), members.count < configuration.most
        else { return }
        let member = makeMember(realm, succeeding: nil)
        await member.start()
        _ = await member.answer(keyID: nil)
        guard !isStopped, member.store.isUsable else { return await member.stop() }
        place(realm, member)
    }

    func stop() async {
        isStopped = true
        for task in fetching.values { task.cancel() }
        for member in members.values { await member.stop() }
        members = [:]
    }

    private func makeMember(_ realm: String, succeeding predecessor: KeySetSuccession?) -> RemoteKeySet {
        RemoteKeySet(
            configuration.keySet(of: realm), succeeding: predecessor, directory: directory, proxies: proxies,
            tables: tables, issuers: issuers, logger: logger)
    }

    /// Changes the names of the issuers whose realms these are.
    func name(_ issuers: String?) async {
        self.issuers = issuers
        logger = logger.naming(issuers)
        for member in members.values { await member.name(issuers) }
    }

    // MARK: Waiting

    /// Waits for a realm's key that the snapshot does not have, or for the realm itself.
    public func answer(realm: String, keyID: String?) async -> KeyAnswer {
        if members[realm] == nil, members.count >= configuration.most { await giveUpStalePlaces() }
        guard !isStopped, configuration.pattern.accepts(realm) else { return .unavailable(retryAfter: .seconds(1)) }
        if let member = members[realm] { return await member.answer(keyID: keyID) }
        if let task = fetching[realm] { return await task.value }
        switch admissions.requestNeeds(realm, taken: members.count, at: .now) {
        case .answer(let answer):
            tellIfFull()
            return answer
        case .fetch:
            let task = Task { await admit(realm) }
            fetching[realm] = task
            return await task.value
        }
    }

    /// Fetches the keys of a realm, and gives it a place if it has some.
    private func admit(_ realm: String) async -> KeyAnswer {
        let member = makeMember(realm, succeeding: nil)
        await member.start()
        await member.firstFetchEnded()
        let failure = await member.status.lastFailure
        guard !isStopped, member.store.isUsable else {
            await member.stop()
            fetching[realm] = nil
            return admissions.ended(realm, failure?.isDefinite == true ? .absent : .failed, at: .now)
        }
        fetching[realm] = nil
        place(realm, member)
        let answer = admissions.ended(realm, .keys, at: .now)
        logger.notice(
            "Realm accepted: its keys were fetched", [.issuerURL: .text(configuration.pattern.issuer(of: realm))])
        await directory?.save(SavedRealms(members.keys), for: configuration, logger)
        return answer
    }

    private func place(_ realm: String, _ member: RemoteKeySet) {
        members[realm] = member
        stores.add(realm, member.store)
    }

    /// Takes places away from realms whose keys have become too old to be used.
    private func giveUpStalePlaces() async {
        for (realm, member) in members where !member.store.isUsable {
            members[realm] = nil
            stores.remove(realm)
            await member.stop()
        }
    }

    private func tellIfFull() {
        guard members.count >= configuration.most else { return }
        let now = ContinuousClock.now
        if let toldOfFullness, now < toldOfFullness.advanced(by: Self.warningInterval) { return }
        toldOfFullness = now
        logger.warning(
            "Tokens of further realms are answered 503: all of `most` places are taken",
            [.issuerURL: .text(configuration.pattern.description), .limit: .number(configuration.most)])
    }

    // MARK: Members

    /// The key set of the realm with this index. Nil if no realm has it any more.
    public func keySet(at index: KeySetIndex) -> RemoteKeySet? {
        guard let store = stores.store(index) else { return nil }
        return members.values.first { $0.store === store }
    }

    /// Key sets of the realms that have a place, in the order in which they got it: metrics number them so, and a
    /// number must not move to another realm when one is added.
    public var keySets: [RemoteKeySet] {
        let placed = members.map { (stores.realm(named: $0.key)?.index.rawValue ?? 0, $0.value) }
        return placed.sorted { $0.0 < $1.0 }.map(\.1)
    }

    public var status: RealmsStatus {
        RealmsStatus(
            pattern: configuration.pattern.description, places: members.count, most: configuration.most,
            counters: admissions.counters)
    }
}

extension KeySetStore {
    /// True if the keys are recent enough to verify tokens.
    fileprivate var isUsable: Bool { !snapshot().isTooStale(at: Moment.now.date) }
}
