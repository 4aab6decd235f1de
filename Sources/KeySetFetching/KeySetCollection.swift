import KeySets
import Logging

/// All key sets of one configuration file, one for each distinct source, however many issuers share it.
///
/// A reload makes a new collection from the old one: what both name lives on untouched, so that nothing is fetched
/// again and nothing is forgotten; the old collection keeps working until its successor is in place.
public final class KeySetCollection: Sendable {
    private let members: [KeySetConfiguration.Identity: RemoteKeySet]
    private let directory: KeySetDirectory?
    private let proxies: ProxyEnvironment
    private let logger: Logger

    /// One key set for each source among the configurations; none is started yet. The last good sets are kept in the
    /// directory, if any.
    public convenience init(
        _ configurations: [KeySetConfiguration],
        directory: KeySetDirectory? = nil,
        proxies: ProxyEnvironment = .ofProcess,
        logger: Logger,
    ) {
        let members = Self.merged(configurations).mapValues { configuration in
            RemoteKeySet(configuration, directory: directory, proxies: proxies, logger: logger)
        }
        self.init(members: members, directory: directory, proxies: proxies, logger: logger)
    }

    private init(
        members: [KeySetConfiguration.Identity: RemoteKeySet],
        directory: KeySetDirectory?,
        proxies: ProxyEnvironment,
        logger: Logger,
    ) {
        self.members = members
        self.directory = directory
        self.proxies = proxies
        self.logger = logger
    }

    /// Every key set, each once.
    public var keySets: [RemoteKeySet] { Array(members.values) }

    /// The key set that serves an issuer's configuration.
    public func keySet(for configuration: KeySetConfiguration) -> RemoteKeySet? {
        members[configuration.identity]
    }

    /// Key sets of others beside these, which are not started yet and are saved nowhere.
    public func besides(_ configurations: [KeySetConfiguration]) -> KeySetCollection {
        KeySetCollection(configurations, proxies: proxies, logger: logger)
    }

    /// Starts every key set.
    public func start() async {
        for member in members.values { await member.start() }
    }

    /// Returns when every first attempt has ended, or when the time is over.
    public func firstFetches(within limit: Duration = .seconds(5)) async {
        await Self.firstFetches(of: keySets, within: limit)
    }

    /// The collection of a new configuration file: known sources keep their keys, new ones are started.
    ///
    /// Nothing is taken from this collection: call ``stopUnused(keptBy:)`` once the successor is in place, or, if it is
    /// given up, the successor's ``stopUnused(keptBy:)`` with this one.
    public func updated(to configurations: [KeySetConfiguration]) async -> KeySetCollection {
        var updated: [KeySetConfiguration.Identity: RemoteKeySet] = [:]
        for (identity, configuration) in Self.merged(configurations) {
            let known = members[identity]
            if let known, known.configuration == configuration {
                await known.reload()
                updated[identity] = known
                continue
            }
            // The same source under other rules continues from its predecessor's state: keys that left the document
            // have the time left to them that they had, not all of it again.
            let predecessor = await known?.succession
            let member = RemoteKeySet(
                configuration, succeeding: predecessor, directory: directory, proxies: proxies, logger: logger)
            await member.start()
            updated[identity] = member
        }
        return KeySetCollection(members: updated, directory: directory, proxies: proxies, logger: logger)
    }

    /// Stops every key set of this collection that its successor does not use.
    public func stopUnused(keptBy successor: KeySetCollection) async {
        for (identity, member) in members where successor.members[identity] !== member { await member.stop() }
    }

    /// Stops every key set.
    public func stop() async {
        for member in members.values { await member.stop() }
    }

    private static func merged(_ configurations: [KeySetConfiguration]) -> [KeySetConfiguration.Identity:
        KeySetConfiguration]
    {
        Dictionary(configurations.map { ($0.identity, $0) }) { first, second in first.merged(with: second) }
    }

    private static func firstFetches(of keySets: [RemoteKeySet], within limit: Duration) async {
        await withTaskGroup { group in
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
}
