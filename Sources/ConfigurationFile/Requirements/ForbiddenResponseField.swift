import HTTPMessages

/// Reason why a response header can be neither set nor removed.
enum ForbiddenResponseField {
    /// It says where the content ends, or how to read it.
    case framing
    /// It belongs to one connection.
    case hopByHop
    case cookie
    case crossOrigin
    /// It says how to authenticate.
    case challenge
    /// Bearward states it.
    case own
    /// It says what the response is, or where the client goes next.
    case meaning
    case grpc
    case webSocket
    /// It states an identity to upstreams.
    case identity

    /// Finds the reason. Nil if the name is of no class that is known here.
    init?(_ name: String) {
        let name = name.lowercased()
        if let found = Self.named[name] {
            self = found
        } else if KnownField.allCases.contains(where: { $0.isHopByHop && "\($0.name)".lowercased() == name }) {
            self = .hopByHop
        } else if let found = Self.prefixes.first(where: { name.hasPrefix($0.prefix) })?.reason {
            self = found
        } else {
            return nil
        }
    }

    private static let classes: [(names: String, reason: ForbiddenResponseField)] = [
        ("content-length transfer-encoding content-encoding content-range content-type trailer", .framing),
        ("te upgrade connection keep-alive", .hopByHop), ("set-cookie set-cookie2 cookie", .cookie),
        ("www-authenticate authentication-info proxy-authenticate proxy-authentication-info", .challenge),
        ("date age retry-after x-request-id ratelimit ratelimit-policy", .own),
        ("location content-location etag last-modified vary expires pragma allow accept-ranges link alt-svc", .meaning),
        ("refresh clear-site-data via", .meaning), ("client-cert client-cert-chain forwarded", .identity),
    ]

    private static let named: [String: ForbiddenResponseField] = {
        let pairs = classes.flatMap { entry in
            entry.names.split(separator: " ").map { (String($0), entry.reason) }
        }
        return Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }()

    private static let prefixes: [(prefix: String, reason: ForbiddenResponseField)] = [
        ("access-control-", .crossOrigin), ("grpc-", .grpc), ("sec-websocket-", .webSocket), ("x-auth-", .identity),
        ("x-forwarded-", .identity), ("proxy-", .hopByHop), ("x-bearward-", .own),
    ]

    func text(of name: String) -> ProblemText {
        switch self {
        case .framing:
            ProblemText("`\(name)` says how the content is read, so only who sends the content can state it")
        case .hopByHop: ProblemText("`\(name)` belongs to one connection, and never passes")
        case .cookie: ProblemText("`\(name)` carries sessions, which belong to the upstream")
        case .crossOrigin:
            ProblemText("`\(name)` says which pages may read the answer", hint: "write `cors` on the resource")
        case .challenge: ProblemText("`\(name)` says how to authenticate, which clients act on")
        case .own: ProblemText("`\(name)` is stated by Bearward itself")
        case .meaning: ProblemText("`\(name)` says what the answer means, which only the upstream knows")
        case .grpc: ProblemText("`\(name)` is part of the answer to a gRPC call")
        case .webSocket: ProblemText("`\(name)` is part of a WebSocket's handshake")
        case .identity:
            ProblemText("`\(name)` states an identity, and no client gets one", hint: "see `forward` for upstreams")
        }
    }
}
