import JOSE
import TokenVerification

/// Result for a request that names a key which is not in the key set.
public enum MissingKey: Sendable, Hashable {
    /// The issuer was asked a moment ago and does not have it, or is not asked about such a name: 401 `unknown_kid`.
    case unknown
    /// The issuer is asked, or may be: waiting can help.
    case awaited
    /// The issuer may not be asked at present: 503 `key_not_asked`.
    case notAsked(retryAfter: Duration)
    /// The issuer was asked last without an answer: 503 `keys_unavailable`.
    case unanswered(retryAfter: Duration)
}

extension KeySetSnapshot {
    /// Result for a request that names a key which ``keys`` does not have.
    public func missing(_ keyID: String, at now: NumericDate) -> MissingKey {
        guard Self.isAskable(keyID), !refused.contains(keyID) else { return .unknown }
        if canWait { return .awaited }
        guard lastFetchSucceeded else { return .unanswered(retryAfter: retryAfter(at: now)) }
        // So many made-up names cannot be told from a good one any more.
        return refused.isFull ? .unknown : .notAsked(retryAfter: retryAfter(at: now))
    }

    /// Whether an issuer may have a key of this ID that is worth a fetch: 1 to 256 bytes of printable ASCII.
    static func isAskable(_ keyID: String) -> Bool {
        (1...ProtectedHeader.longestKeyID).contains(keyID.utf8.count)
            && keyID.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
