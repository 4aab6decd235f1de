/// Key sets that a setup uses, and the form of `jwks_uri`.
public enum SetupKeySets: Sendable, Hashable {
    /// One key set; `jwks_uri` is its URL.
    case one(String)
    /// Several key sets, or one whose name matters; `jwks_uri` is a mapping from names to URLs.
    case named([String])

    public var names: [String] {
        switch self {
        case .one(let name): [name]
        case .named(let names): names
        }
    }
}
