import JOSE

/// Skipped and unusual keys that were logged for the last answer. They are compared by their IDs and faults, so their
/// order in the document does not matter.
struct ToldKeys {
    private struct Skipped: Hashable {
        let keyID: String?
        let reason: JSONWebKeyRejection
    }

    private struct Unusual: Hashable {
        let keyID: String?
        let deviations: JWKDeviations
    }

    private let skipped: Set<Skipped>
    private let unusual: Set<Unusual>

    /// Makes an empty value: no key has been logged yet.
    init() {
        (skipped, unusual) = ([], [])
    }

    init(_ keys: KeySet) {
        skipped = Set(keys.skipped.map { Skipped(keyID: $0.keyID, reason: $0.reason) })
        unusual = Set(keys.unusual.map { Unusual(keyID: $0.keyID, deviations: $0.deviations) })
    }

    func untoldSkipped(in keys: KeySet) -> [SkippedKey] {
        keys.skipped.filter { !skipped.contains(Skipped(keyID: $0.keyID, reason: $0.reason)) }
    }

    func untoldUnusual(in keys: KeySet) -> [UnusualKey] {
        keys.unusual.filter { !unusual.contains(Unusual(keyID: $0.keyID, deviations: $0.deviations)) }
    }
}
