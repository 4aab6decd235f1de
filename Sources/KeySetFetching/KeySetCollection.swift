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

    /// A collection without key sets, which that of the first configuration follows: see ``updated(to:)``.
    ///
    /// - Parameter directory: holds the last good key sets of all that follow. Nil if they are not kept.
    public convenience init(
        directory: KeySetDirectory? = nil, proxies: ProxyEnvironment = .ofProcess, logger: Logger
    ) {
        self.init(members: [:], directory: directory, proxies: proxies, logger: logger)
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

    /// A collection without key sets, for others beside these, which are saved nowhere.
    public var apart: KeySetCollection { KeySetCollection(proxies: proxies, logger: logger) }

    /// Returns when every first attempt has ended, or when the time is over.
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

    /// The collection of a new configuration file: known sources keep their keys, new ones are started.
    ///
    /// Nothing is taken from this collection: call ``stop(keptBy:)`` once the successor is in place, or, if it is given
    /// up, the successor's ``stop(keptBy:)`` with this one.
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

    /// Stops every key set of this collection that its successor does not use; without a successor, every one.
    public func stop(keptBy successor: KeySetCollection? = nil) async {
        for (identity, member) in members where successor?.members[identity] !== member { await member.stop() }
    }

    private static func merged(_ configurations: [KeySetConfiguration]) -> [KeySetConfiguration.Identity:
        KeySetConfiguration]
    {
        Dictionary(configurations.map { ($0.identity, $0) }) { first, second in first.merged(with: second) }
    }
}
