import JOSE
import KeySets
import Logging

/// All key sets of one configuration file: one for each distinct source, even if several issuers share it.
///
/// A reload makes a new collection from the old one. Key sets in both continue unchanged, so they need no new fetch and
/// lose no state. The old collection keeps working until its successor replaces it.
public final class KeySetCollection: Sendable {
    private let members: [KeySetConfiguration.Identity: RemoteKeySet]
    /// Key sets of realms, one for each issuer that has realms by pattern.
    private let realms: [RealmKeySetsConfiguration: RealmKeySets]
    private let directory: KeySetDirectory?
    private let proxies: ProxyEnvironment
    private let tables: KeyTables?
    private let logger: Logger

    /// Makes an empty collection. ``updated(to:)`` makes the collection of the first configuration from it.
    ///
    /// - Parameters:
    ///   - directory: directory for the last valid key sets of this collection and its successors. Nil if they are not
    ///     saved.
    ///   - tables: tables for the keys. Nil if libcrypto verifies everything.
    public convenience init(
        directory: KeySetDirectory? = nil, proxies: ProxyEnvironment = .ofProcess, tables: KeyTables? = nil,
        logger: Logger
    ) {
        self.init(
            members: [:], realms: [:], directory: directory, proxies: proxies, tables: tables, logger: logger)
    }

    private init(
        members: [KeySetConfiguration.Identity: RemoteKeySet],
        realms: [RealmKeySetsConfiguration: RealmKeySets],
        directory: KeySetDirectory?,
        proxies: ProxyEnvironment,
        tables: KeyTables?,
        logger: Logger,
    ) {
        self.members = members
        self.realms = realms
        self.directory = directory
        self.proxies = proxies
        self.tables = tables
        self.logger = logger
    }

    /// All key sets, each once.
    public var keySets: [RemoteKeySet] { Array(members.values) }

    /// The key set for a configuration. Nil if the collection has none.
    public func keySet(for configuration: KeySetConfiguration) -> RemoteKeySet? {
        members[configuration.identity]
    }

    /// The key sets of realms for a configuration. Nil if the collection has none.
    public func realms(for configuration: RealmKeySetsConfiguration) -> RealmKeySets? {
        realms[configuration]
    }

    /// An empty collection for further key sets, independent of these, that are not saved.
    public var apart: KeySetCollection { KeySetCollection(proxies: proxies, tables: tables, logger: logger) }

    /// Waits until the first attempt of every key set has ended, or until the time is over.
    public func firstFetches(within limit: Duration = .seconds(5)) async {
        await withTaskGroup { [keySets] group in
            group.addTask {
                await withTaskGroup { fetches in
                    for keySet in keySets { fetches.addTask { await keySet.firstFetchEnded() } }
                }
            }
            group.addTask { try? await Task.sleep(for: limit) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Makes the collection of a new configuration file. Sources in this collection keep their keys, and new ones are
    /// started.
    ///
    /// This collection stays unchanged. Call its ``stop(keptBy:)`` once the successor is in use. If the successor is
    /// discarded, call the successor's ``stop(keptBy:)`` with this collection.
    ///
    /// - Parameter names: names of the issuers, for the log.
    public func updated(
        to configurations: [KeySetConfiguration], realms configuredRealms: [RealmKeySetsConfiguration] = [],
        names: IssuerNames = IssuerNames()
    ) async -> KeySetCollection {
        var updated: [KeySetConfiguration.Identity: RemoteKeySet] = [:]
        for (identity, configuration) in Self.merged(configurations) {
            let known = members[identity]
            if let known, known.configuration == configuration {
                await known.name(names.text(of: identity))
                await known.reload()
                updated[identity] = known
                continue
            }
            // The same source with another configuration continues from its predecessor's state. The retention of kept
            // keys does not start again.
            let predecessor = await known?.succession
            let member = RemoteKeySet(
                configuration, succeeding: predecessor, directory: directory, proxies: proxies, tables: tables,
                issuers: names.text(of: identity), logger: logger)
            await member.start()
            updated[identity] = member
        }
        return KeySetCollection(
            members: updated, realms: await updatedRealms(to: configuredRealms, names), directory: directory,
            proxies: proxies,
            tables: tables, logger: logger)
    }

    private func updatedRealms(to configurations: [RealmKeySetsConfiguration], _ names: IssuerNames) async
        -> [RealmKeySetsConfiguration: RealmKeySets]
    {
        var updated: [RealmKeySetsConfiguration: RealmKeySets] = [:]
        for configuration in Set(configurations) {
            if let known = realms[configuration] {
                await known.name(names.text(of: configuration))
                updated[configuration] = known
                continue
            }
            let successor = RealmKeySets(
                configuration, directory: directory, proxies: proxies, tables: tables,
                issuers: names.text(of: configuration), logger: logger)
            await successor.start(succeeding: realms.values.filter { $0.configuration.fetchesLike(configuration) })
            updated[configuration] = successor
        }
        return updated
    }

    /// Stops every key set of this collection that its successor does not use. Stops all if there is no successor.
    public func stop(keptBy successor: KeySetCollection? = nil) async {
        for (identity, member) in members where successor?.members[identity] !== member { await member.stop() }
        for (configuration, own) in realms where successor?.realms[configuration] !== own { await own.stop() }
    }

    private static func merged(_ configurations: [KeySetConfiguration]) -> [KeySetConfiguration.Identity:
        KeySetConfiguration]
    {
        Dictionary(configurations.map { ($0.identity, $0) }) { first, second in first.merged(with: second) }
    }
}
