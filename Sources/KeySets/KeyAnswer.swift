/// Result of waiting for a key.
public enum KeyAnswer: Sendable, Hashable {
    /// Look at the snapshot again, once; a key that is still not found there is unknown.
    case keysChanged
    /// The issuer was asked and does not know the key: 401 `unknown_kid`.
    case confirmedUnknown
    /// Nobody has asked the issuer about the key, and it may not be asked at present: 503 `key_not_asked`, and when to
    /// retry.
    case notAsked(retryAfter: Duration)
    /// No decision is possible now: 503 `keys_unavailable`, with the time until a retry, at least a second.
    case unavailable(retryAfter: Duration)
}

extension KeyAnswer {
    /// The answer of several key sets of which each may have the key: found in one is found, and unknown is only what
    /// all of them do not know.
    public func merged(with other: KeyAnswer) -> KeyAnswer {
        switch (self, other) {
        case (.keysChanged, _), (_, .keysChanged): .keysChanged
        case (.unavailable(let one), .unavailable(let other)): .unavailable(retryAfter: min(one, other))
        case (.unavailable, _): self
        case (_, .unavailable): other
        case (.notAsked(let one), .notAsked(let other)): .notAsked(retryAfter: min(one, other))
        case (.notAsked, .confirmedUnknown): self
        case (.confirmedUnknown, .notAsked), (.confirmedUnknown, .confirmedUnknown): other
        }
    }
}
