import JOSE
import TokenVerification

/// Outcome for a request whose token names a key that is not in the key set.
public enum MissingKey: Sendable, Hashable {
    /// The issuer did not have the key when it was asked within the last minute, or is never asked about a key ID of
    /// this form: 401 `unknown_kid`.
    case unknown
    /// A fetch is under way or allowed, so waiting can help.
    case awaited
    /// A fetch is not allowed now: 503 `key_not_asked`.
    case notAsked(retryAfter: Duration)
    /// The last fetch failed: 503 `keys_unavailable`.
    case unanswered(retryAfter: Duration)
}

extension KeySetSnapshot {
    /// Outcome for a request whose token names a key that is not in ``keys``.
    public func missing(_ keyID: String, at now: NumericDate) -> MissingKey {
        guard Self.isAskable(keyID), !refused.contains(keyID) else { return .unknown }
        if canWait { return .awaited }
        guard lastFetchSucceeded else { return .unanswered(retryAfter: retryAfter(at: now)) }
        // With this many invented key IDs, a valid one cannot be distinguished from them.
        return refused.isFull ? .unknown : .notAsked(retryAfter: retryAfter(at: now))
    }

    /// True if the key ID is plausible enough for a fetch: 1 to 256 bytes of printable ASCII.
    static func isAskable(_ keyID: String) -> Bool {
        (1...ProtectedHeader.longestKeyID).contains(keyID.utf8.count)
            && keyID.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
}
