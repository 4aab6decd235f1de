import KeySets
import Logging

/// All key sets of one configuration file: one for each distinct source, even if several issuers share it.
///
/// A reload makes a new collection from the old one. Key sets in both continue unchanged, so they need no new fetch and
/// lose no state. The old collection keeps working until its successor replaces it.
public final class KeySetCollection: Sendable {
    private let members: [KeySetConfiguration.Identity: RemoteKeySet]
    private let directory: KeySetDirectory?
    private let proxies: ProxyEnvironment
    private let logger: Logger

    /// Makes an empty collection. ``updated(to:)`` makes the collection of the first configuration from it.
    ///
    /// - Parameter directory: directory for the last valid key sets of this collection and its successors. Nil if they
    ///   are not saved.
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

    /// All key sets, each once.
    public var keySets: [RemoteKeySet] { Array(members.values) }

    /// The key set for a configuration. Nil if the collection has none.
    public func keySet(for configuration: KeySetConfiguration) -> RemoteKeySet? {
        members[configuration.identity]
    }

    /// An empty collection for further key sets, independent of these, that are not saved.
    public var apart: KeySetCollection { KeySetCollection(proxies: proxies, logger: logger) }

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
    public func updated(to configurations: [KeySetConfiguration]) async -> KeySetCollection {
        var updated: [KeySetConfiguration.Identity: RemoteKeySet] = [:]
        for (identity, configuration) in Self.merged(configurations) {
            let known = members[identity]
            if let known, known.configuration == configuration {
                await known.reload()
                updated[identity] = known
                continue
            }
            // The same source with another configuration continues from its predecessor's state. The retention of kept
            // keys does not start again.
            let predecessor = await known?.succession
            let member = RemoteKeySet(
                configuration, succeeding: predecessor, directory: directory, proxies: proxies, logger: logger)
            await member.start()
            updated[identity] = member
        }
        return KeySetCollection(members: updated, directory: directory, proxies: proxies, logger: logger)
    }

    /// Stops every key set of this collection that its successor does not use. Stops all if there is no successor.
    public func stop(keptBy successor: KeySetCollection? = nil) async {
        for (identity, member) in members where successor?.members[identity] !== member { await member.stop() }
    }

    private static func merged(_ configurations: [KeySetConfiguration]) -> [KeySetConfiguration.Identity:
        KeySetConfiguration]
    {
        Dictionary(configurations.map { ($0.identity, $0) }) { first, second in first.merged(with: second) }
    }
}
