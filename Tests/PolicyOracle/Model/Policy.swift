/// A whole file, as far as it affects decisions about requests.
public struct Policy: Hashable, Sendable {
    /// Additional methods of the file.
    public var methods: [String] = []
    public var issuers: [Issuer]
    public var policies: [String: Requirement] = [:]
    public var resources: [Resource]

    public init(issuers: [Issuer], resources: [Resource]) {
        self.issuers = issuers
        self.resources = resources
    }
}

/// A protected API.
public struct Resource: Hashable, Sendable {
    public enum Audiences: Hashable, Sendable {
        /// The key is absent: the identifier is the audience.
        case identifier
        case ofAll([String])
        /// Audiences by the name of the issuer.
        case ofEach([String: [String]])
    }

    /// Treatment of a path with `%2F`.
    public enum EncodedSlashes: String, Hashable, Sendable { case refuse, keep, opaque }

    /// The header that carries the token instead of `Authorization`; its name is `X-Token` in all files.
    public struct TokenHeader: Hashable, Sendable {
        /// Text before the token. Nil if the key is absent.
        public let prefix: String?
        /// Headers behind `X-Token` in a list. Empty if the header stands alone.
        public let others: [Other]

        public enum Other: String, Hashable, Sendable {
            case other = "X-Other"
            case authorization = "Authorization"
        }

        public init(prefix: String?, others: [Other] = []) { (self.prefix, self.others) = (prefix, others) }
    }

    public var identifier: String
    /// Empty if the identifier, a URL, is the place.
    public var at: [String]
    public var issuers: [String]
    public var audiences = Audiences.identifier
    public var keepsPathParameters = false
    public var encodedSlashes = EncodedSlashes.refuse
    public var tokenHeader: TokenHeader?
    /// True if the upstream gets the client's own `Authorization`, which is not the header of the token.
    public var passesAuthorization = false
    /// Scopes that others imply.
    public var scopes: [String: [String]] = [:]
    public var require: Requirement?
    public var mode: Mode?
    public var maintenance: Maintenance?
    public var rules: [Rule]

    public init(_ identifier: String, at: [String] = [], issuers: [String], rules: [Rule]) {
        self.identifier = identifier
        self.at = at
        self.issuers = issuers
        self.rules = rules
    }

    public var places: [Place] {
        (at.isEmpty ? [String(identifier.drop { $0 != ":" }.dropFirst(3))] : at).map(Place.init)
    }

    /// Audiences; a token of the issuer must name one of them.
    public func audiences(of issuer: Issuer) -> [String] {
        switch audiences {
        case .identifier: [identifier]
        case .ofAll(let audiences): audiences
        case .ofEach(let audiences): audiences[issuer.name] ?? []
        }
    }
}

/// The requirement for requests of one route.
public struct Rule: Hashable, Sendable {
    public var route: Route
    public var access: Access
    /// Mode that overrides that of its resource.
    public var mode: Mode?
    /// Maintenance besides that of its resource.
    public var maintenance: Maintenance?

    public init(_ route: String, _ access: Access, mode: Mode? = nil) {
        self.route = Route(route)
        self.access = access
        self.mode = mode
    }
}
