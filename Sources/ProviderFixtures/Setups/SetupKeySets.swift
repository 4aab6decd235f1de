/// Key sets that the setup reads, and their names in `jwks_uri`.
public enum SetupKeySets: Sendable, Hashable {
    /// One: `jwks_uri` is its URL.
    case one(String)
    /// Several, or one with a name that matters: `jwks_uri` is a mapping.
    case named([String])

    public var names: [String] {
        switch self {
        case .one(let name): [name]
        case .named(let names): names
        }
    }
}
