/// How waiting for a key ended.
public enum KeyAnswer: Sendable, Hashable {
    /// Look at the snapshot again, once; a key that is still not found there is unknown.
    case keysChanged
    /// The issuer was asked and does not know the key: 401 `unknown_kid`.
    case confirmedUnknown
    /// It cannot be decided at present: 503 `keys_unavailable`, and when to retry; never less than a second.
    case unavailable(retryAfter: Duration)
}
