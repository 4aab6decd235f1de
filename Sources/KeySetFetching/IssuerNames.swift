import KeySets
import Logging
import Logs

/// The operator's names of the issuers that use each key set. Issuers with the same source share one.
public struct IssuerNames: Sendable {
    private var ofKeySets: [KeySetConfiguration.Identity: [String]] = [:]
    private var ofRealms: [RealmKeySetsConfiguration: [String]] = [:]

    public init() {}

    public mutating func add(
        _ name: String, keySets: some Sequence<KeySetConfiguration>, realms: RealmKeySetsConfiguration?
    ) {
        for identity in Set(keySets.map(\.identity)) { ofKeySets[identity, default: []].append(name) }
        if let realms { ofRealms[realms, default: []].append(name) }
    }

    func text(of keySet: KeySetConfiguration.Identity) -> String? { Self.text(ofKeySets[keySet]) }

    func text(of realms: RealmKeySetsConfiguration) -> String? { Self.text(ofRealms[realms]) }

    private static func text(_ names: [String]?) -> String? { names?.joined(separator: ", ") }
}

extension Logger {
    /// Returns a logger that names these issuers in every line. Nil if they are not known, as for a key set alone.
    func naming(_ issuers: String?) -> Logger { issuers.map { stating([.issuer: .text($0)]) } ?? self }
}
