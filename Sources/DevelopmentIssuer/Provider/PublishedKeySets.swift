import ProviderFixtures

/// A provider's key sets as they are now, and the key IDs that have taken the place of those of the samples.
struct PublishedKeySets: Sendable, Hashable {
    private(set) var keySets: [SampleKeySet]
    /// The key IDs in use by those of the samples; a key that was never rotated is not among them.
    private(set) var keyIDs: [String: String] = [:]
    /// The keys that sign samples, the first sample's first.
    private let signing: [SampleKeyName]
    /// Number of keys in each key set from the start.
    private let originalCounts: [String: Int]

    /// Earlier keys that stay published in each key set; beyond it the oldest goes.
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

    /// The key that signs the first sample, as it is called now.
    var mainKeyID: String {
        signing.first.map { name in keyIDs[name.keyID] ?? name.keyID } ?? ""
    }

    /// Every key ID of every key set, in order, each once.
    var publishedKeyIDs: [String] {
        keySets.flatMap { keySet in keySet.keys.map(\.name.keyID) }.reduce(into: []) { keyIDs, keyID in
            if !keyIDs.contains(keyID) { keyIDs.append(keyID) }
        }
    }

    var keyNames: Set<SampleKeyName> {
        Set(keySets.flatMap { keySet in keySet.keys.map(\.name) })
    }

    /// Gives every key that signs a new ID, which makes another key of it; the shape of the key sets stays.
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
        // A short one may come again; where chance does not help, a letter more does.
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
    /// The key of the provider that signs; nil for none.
    fileprivate var keyName: SampleKeyName? {
        switch self {
        case .key(let name), .tampered(let name): name
        case .unsigned, .hmac: nil
        }
    }
}
