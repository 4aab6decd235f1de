import ProviderFixtures

/// The key sets that a provider server publishes now, and the key IDs that replaced those of the samples.
struct PublishedKeySets: Sendable, Hashable {
    private(set) var keySets: [SampleKeySet]
    /// Current key IDs, by those of the samples. Keys that were never rotated are absent.
    private(set) var keyIDs: [String: String] = [:]
    /// Published keys that sign samples; the key of the first sample comes first.
    private let signing: [SampleKeyName]
    /// Original number of keys of each key set, by its name.
    private let originalCounts: [String: Int]

    /// Maximum number of earlier keys that stay published in each key set. Beyond it the oldest is removed.
    static let mostRetired = 16

    init(of samples: ProviderSamples) {
        keySets = samples.keySets
        let published = samples.keySets.flatMap { keySet in keySet.keys.map(\.name) }
        let used = (samples.tokens + samples.nearMisses).compactMap(\.signing.keyName)
        signing = used.reduce(into: []) { names, name in
            if published.contains(name), !names.contains(name) { names.append(name) }
        }
        originalCounts = Dictionary(keySets.map { keySet in (keySet.name, keySet.keys.count) }) { first, _ in first }
    }

    /// Current ID of the key that signs the first sample.
    var mainKeyID: String {
        signing.first.map { name in keyIDs[name.keyID] ?? name.keyID } ?? ""
    }

    /// IDs of all published keys, in order and without duplicates.
    var publishedKeyIDs: [String] {
        keySets.flatMap { keySet in keySet.keys.map(\.name.keyID) }.reduce(into: []) { keyIDs, keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
        }
    }

    var keyNames: Set<SampleKeyName> {
        Set(keySets.flatMap { keySet in keySet.keys.map(\.name) })
    }

    /// Replaces every signing key by giving it a new ID, by which another key is generated. The form of the key sets
    /// stays the same.
    mutating func rotate(_ oldKeys: OldKeys) {
        var renamed: [String: String] = [:]
        for name in signing {
            let current = keyIDs[name.keyID] ?? name.keyID
            let new = Self.keyID(like: current, notIn: publishedKeyIDs + renamed.values)
            renamed[current] = new
            keyIDs[name.keyID] = new
        }
        for index in keySets.indices { rotate(&keySets[index], renamed, oldKeys) }
    }

    private static func keyID(like keyID: String, notIn taken: [String]) -> String {
        var new = KeyIDStyle.similar(to: keyID)
        // A random short ID may be taken. If new ones are still taken after 100 attempts, a letter is appended.
        for _ in 0..<100 where taken.contains(new) { new = KeyIDStyle.similar(to: keyID) }
        return taken.contains(new) ? new + "x" : new
    }

    private func rotate(_ keySet: inout SampleKeySet, _ renamed: [String: String], _ oldKeys: OldKeys) {
        let count = originalCounts[keySet.name] ?? keySet.keys.count
        let current = keySet.keys.prefix(count)
        let new = current.map { key in renamed[key.name.keyID].map(key.renamed) ?? key }
        switch oldKeys {
        case .areDropped: keySet.keys = new
        case .stayPublished:
            let replaced = current.filter { key in renamed[key.name.keyID] != nil }
            keySet.keys = new + (keySet.keys.dropFirst(count) + replaced).suffix(Self.mostRetired)
        }
    }
}

extension SampleSigning {
    /// The provider's key that signs. Nil if none does.
    fileprivate var keyName: SampleKeyName? {
        switch self {
        case .key(let name), .tampered(let name): name
        case .unsigned, .hmac: nil
        }
    }
}
