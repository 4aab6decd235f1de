/// HPACK indexing of a field that is sent (RFC 7541 §6.2).
public enum FieldIndexing: Hashable, Sendable {
    /// Never indexed (§7.1.3), for secrets: no hop may add the field to a compression table.
    case never
    /// Sent as a literal, without indexing.
    case without
    /// Added to the compression table, if the connection has one. Used for values that many messages repeat and that
    /// come from the configuration, so that no attacker can test guesses against them (§7.1).
    case indexed
}
