/// What the compression of a connection does with a field that is sent (RFC 7541 §6.2).
public enum FieldIndexing: Hashable, Sendable {
    /// It is secret: no hop may put it into a table (§7.1.3).
    case never
    /// It is sent as a literal.
    case without
    /// It is put into the table if the connection has one: it is the same in many messages, and the configuration's own
    /// text, so that nobody can measure a guess against it (§7.1).
    case indexed
}
