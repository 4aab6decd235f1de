/// Answer to a request that waited for a key.
public enum KeyAnswer: Sendable, Hashable {
    /// The keys have changed. Read the snapshot again, once. A key that is still not in it is unknown.
    case keysChanged
    /// The issuer's key set was fetched and does not have the key: 401 `unknown_kid`.
    case confirmedUnknown
    /// The key set was not fetched for this key, and may not be fetched now: 503 `key_not_asked`, with the time until a
    /// retry.
    case notAsked(retryAfter: Duration)
    /// The keys are not available now: 503 `keys_unavailable`, with the time until a retry, at least a second.
    case unavailable(retryAfter: Duration)
}

extension KeyAnswer {
    /// Combines the answers of several key sets that may have the key. The key is found if one set has it, and unknown
    /// only if no set has it.
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
