import JOSE
import KeySets

/// A key set fetched once, for commands that look and end.
public enum OneTimeKeySet {
    /// Fetches metadata, where there is any, and the key set, exactly as the gateway would, and keeps nothing.
    public static func load(
        _ configuration: KeySetConfiguration,
        proxies: ProxyEnvironment = .ofProcess,
    ) async throws(KeySetFetchFailure) -> KeySet {
        switch try await KeySetFetch(configuration, proxies: proxies).attempt(KeySetFetch.Memory()).result.get() {
        case .keys(let keys, _): return keys
        // Only a request with a validator can be told so, and a first one has none.
        case .nothingNew: throw .keySetRefused(source: configuration.source.description, .notJSON)
        }
    }
}
