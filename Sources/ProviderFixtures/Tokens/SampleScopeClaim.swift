/// A claim that holds a token's scopes.
public enum SampleScopeClaim: Sendable, Hashable {
    /// One text, its scopes separated by spaces.
    case text(String)
    case list(String)
}
