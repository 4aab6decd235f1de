/// A claim that contains a token's scopes, by its form.
public enum SampleScopeClaim: Sendable, Hashable {
    /// A claim of this name with one text, in which spaces separate the scopes.
    case text(String)
    case list(String)
}
