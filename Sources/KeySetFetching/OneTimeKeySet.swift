import JOSE
import KeySets
import Logging

/// Fetches a key set once, for commands that run once and exit.
public enum OneTimeKeySet {
    /// Fetches the metadata, if the source has any, and the key set, exactly as the gateway does. Saves nothing.
    public static func load(
        _ configuration: KeySetConfiguration,
        proxies: ProxyEnvironment = .ofProcess,
    ) async throws(KeySetFetchFailure) -> KeySet {
        switch try await KeySetFetch(configuration, proxies: proxies).attempt(KeySetFetch.Memory()).result.get() {
        case .keys(let keys, _): return keys
        // Only a request with a validator can get this answer, and a first request has none.
        case .nothingNew, .key: throw .unexpectedStatus(url: configuration.source.description, 304, retryAfter: nil)
        }
    }

    /// Fetches a single key, exactly as the gateway does. Nil if its place has none of this ID. Saves nothing.
    public static func key(
        _ keyID: String, _ configuration: KeySetConfiguration, proxies: ProxyEnvironment = .ofProcess
    ) async throws(KeySetFetchFailure) -> VerificationKey? {
        let outcome = await KeySetFetch(configuration, proxies: proxies).attempt(KeySetFetch.Memory(), keyID: keyID)
        guard case .key(let key) = try outcome.result.get() else {
            throw .urlInvalid(configuration.source.description)
        }
        return key
    }

    /// Fetches the metadata that names the keys' URL. Nil if the source has no metadata.
    public static func metadata(
        _ configuration: KeySetConfiguration,
        proxies: ProxyEnvironment = .ofProcess,
    ) async throws(KeySetFetchFailure) -> IssuerMetadata? {
        guard configuration.source.hasMetadata else { return nil }
        let fetch = MetadataFetch(client: DocumentClient(configuration, proxies: proxies))
        return try await fetch.document(within: configuration.fetchDeadline).metadata
    }

    /// Returns the keys that a gateway could use if it started now: the saved set if it is still usable. Otherwise
    /// fetches the key set once.
    public static func load(
        _ configuration: KeySetConfiguration,
        directory: KeySetDirectory?,
        proxies: ProxyEnvironment = .ofProcess,
        logger: Logger,
    ) async throws(KeySetFetchFailure) -> KeySetSnapshot {
        if let saved = await saved(configuration, directory: directory, logger: logger) { return saved }
        let keys = try await load(configuration, proxies: proxies)
        return KeySetSnapshot(
            keys: keys,
            fetchedAt: Moment.now.date,
            staleLimit: configuration.staleLimit,
            lastFetchSucceeded: true,
            soleKeyID: configuration.source.soleKeyID,
            hasSingleKeys: configuration.source.hasSingleKeys,
            generation: 1,
        )
    }

    /// Reads the saved set, without network access. Nil if there is none, or if it is past the stale limit. The reason
    /// why a set is ignored is logged.
    public static func saved(
        _ configuration: KeySetConfiguration,
        directory: KeySetDirectory?,
        logger: Logger,
    ) async -> KeySetSnapshot? {
        let now = Moment.now.date
        guard let saved = await directory?.saved(for: configuration, at: now, logger) else { return nil }
        let snapshot = saved.snapshot(for: configuration, at: now)
        return snapshot.isTooStale(at: now) ? nil : snapshot
    }
}
