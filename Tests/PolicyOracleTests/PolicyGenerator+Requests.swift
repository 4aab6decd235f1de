import PolicyOracle

extension PolicyGenerator {
    /// A request that matches one of the policy's rules, or nearly, with a token that satisfies it, or nearly.
    mutating func request(_ policy: Policy) -> Request {
        let resource = pick(policy.resources)
        let rule = pick(resource.rules)
        let (target, parameters) = target(of: rule, resource)
        var request = target
        if once(in: 9) { request = elsewhere(request) }
        let judge = PolicyJudge(policy, at: Self.now)
        // The documents leave open what comes first: an invalid message, or a missing rule.
        let isUnderRule = judge.answers(to: request).isDisjoint(with: Self.answersWithoutRule)
        if isUnderRule, once(in: resource.encodedSlashes == .refuse ? 16 : 4) { request = odd(request) }
        var sent = Credentials.none
        if isUnderRule, once(in: 14) {
            sent = pick(Self.oddCredentials)
            if once(in: 3), sent.isOfOneReadingBesideQuery { request.query = tokenInQuery() }
        } else if !once(in: 24) {
            sent = .token(token(for: rule, resource, policy, parameters))
            if isUnderRule, once(in: 60) { request.query = tokenInQuery() }
        }
        send(sent, in: &request, to: resource, isUnderRule: isUnderRule)
        if resource.passesAuthorization, once(in: 3) {
            let other = Credentials.token(token(for: rule, resource, policy, parameters))
            request.credentials = pick([other, other, .otherScheme, .text("opaque"), .twice])
        }
        if request.query == nil, once(in: 8) { request.query = "page=2" }
        return request
    }

    /// Sends credentials where the resource reads them, in most cases.
    private mutating func send(
        _ credentials: Credentials, in request: inout Request, to resource: Resource, isUnderRule: Bool
    ) {
        guard isUnderRule, let header = resource.tokenHeader, !once(in: 8) else {
            request.credentials = credentials
            return
        }
        // Empty text is an empty header, and the page does not define another scheme there.
        let own = [.otherScheme, .malformed("")].contains(credentials) ? Credentials.empty : credentials
        switch pick([nil] + header.others.map { Optional($0) }) {
        case .authorization?: request.credentials = credentials
        case .other?: request.otherField = own
        case nil: break
        }
        if !header.others.isEmpty, once(in: 6) { request.otherField = pick([own, .empty, .text("opaque")]) }
        guard request.credentials == .none, request.otherField == .none || once(in: 6) else { return }
        request.tokenField = own
        request.tokenFieldPrefix = header.prefix ?? ""
        if case .token = credentials {
            request.tokenFieldPrefix = pick([header.prefix ?? "", header.prefix?.uppercased() ?? "", "Bearer "])
        }
        if once(in: 6) { request.credentials = pick([.otherScheme, .text("opaque"), .twice, .malformed("a b")]) }
    }

    private static let answersWithoutRule: [Answer] =
        [Reason.noResource, .noRule, .badRequest, .methodNotAllowed].flatMap { reason in
            [
                .refused(status: reason.status, reason: reason.rawValue),
                .observed(status: reason.status, reason: reason.rawValue),
            ]
        }

    private static let oddCredentials: [Credentials] = [
        .empty, .otherScheme, .twice, .malformed(""), .malformed("a b"), .malformed("\"a.b.c\""), .text("opaque"),
        .text("a.b"), .text("e30.e30.e30.e30"), .text("a.b.c"),
    ]

    private mutating func tokenInQuery() -> String {
        pick(["access_token=x", "page=2&ACCESS_TOKEN=x", "Access_Token="])
    }

    // MARK: Where it goes

    private mutating func target(of rule: Rule, _ resource: Resource) -> (Request, parameters: [String: String]) {
        let place = pick(resource.places.map(\.text))
        let authority = String(place.prefix { $0 != "/" })
        var host = authority.isEmpty ? pick(["localhost", "other.test"]) : authority
        if host.hasPrefix("*") { host = pick(["shop", "api", "x"]) + host.dropFirst() }
        if !host.contains(":"), once(in: 5) { host += ":9999" }
        var path = String(place.dropFirst(authority.count))
        if path == "/" { path = "" }
        var parameters: [String: String] = [:]
        for segment in rule.route.segments {
            switch segment {
            case .literal(let text): path += "/" + (once(in: 2) ? text : Self.unescaped(text))
            case .parameter(let name):
                let isOdd = resource.encodedSlashes != .refuse && once(in: 6)
                let value = pick(isOdd ? ["acme%2Fa", "a%252Fb"] : ["acme", "a", "other", "7"])
                parameters[name] = value
                path += "/" + value
            case .partial(let before, let after, _):
                let isOdd = resource.encodedSlashes != .refuse && once(in: 6)
                path += "/" + before + pick(isOdd ? ["a%2Fb", "%2F"] : ["a", "1", "7.x", "7:b", ""]) + after
            case .wildcard: path += "/" + pick(["a", "b", "7"])
            case .rest: path += pick(["", "/a", "/b/a", "/open/7/x"])
            }
        }
        if rule.route.hasFinalSlash || once(in: 8) { path += "/" }
        var method = pick(rule.route.methods)
        if method == "ANY" { method = pick(["GET", "POST", "PUT", "PURGE", "purge", "Custom"]) }
        if method == "GET", once(in: 8) { method = "HEAD" }
        return (Request(method, host: host, path.isEmpty ? "/" : path), parameters)
    }

    /// A literal with the escapes of characters that browsers send unescaped.
    private static func unescaped(_ literal: String) -> String {
        literal.replacing("%7C", with: "|").replacing("%C3%A9", with: "é")
    }

    /// The request with another method, host or path.
    private mutating func elsewhere(_ request: Request) -> Request {
        var request = request
        switch Int.random(in: 0..<8, using: &self) {
        case 0: request.method = pick(["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PATCH", "PURGE"])
        case 1:
            request.host = pick([
                "localhost", "API.example.com.", "api.example.com", "api.example.com:8443", "shop.example.com:8443",
                "shop.example.com", "a.b.example.com", "example.com", "Shop.EXAMPLE.com", "xexample.com",
            ])
        case 2: request.path = request.path == "/" ? "/A" : request.path.uppercased()
        case 3: request.path += request.path.hasSuffix("/") ? "a" : "/b"
        case 4: request.path += "X"
        case 5 where request.path.hasSuffix("/"): request.path = "/"
        case 6:
            let segments = request.path.split(separator: "/")
            request.path = "/" + segments.dropLast().joined(separator: "/")
        default: request.path = pick(["/", "/orders", "/orders/deep/a", "/a/b", "/orders/a/open"])
        }
        return request
    }

    /// The request with something that may be refused under any rule.
    private mutating func odd(_ request: Request) -> Request {
        var request = request
        let (path, isFolder) = (request.path, request.path.hasSuffix("/"))
        switch Int.random(in: 0..<12, using: &self) {
        case 0: request.method = "TRACE"
        case 1: request.method = pick(["get", "Post"])
        case 2: request.path += isFolder ? "../x" : "/.."
        case 3: request.path += isFolder ? "/" : "//x"
        case 4:
            request.path += pick([
                "%5Cx", "\\x", "%255Cx", "%2500x", isFolder ? "./" : "/.", isFolder ? "%2e." : "/%2E%2e",
            ])
        case 5 where !isFolder: request.path += pick([";v=1", ";"])
        default:
            let slash = pick(["%2F", "%2F", "%2F", "%2f", "%252F", "%2F%2F", "/%2F"])
            let added = slash + pick(["a", "b", "open", "x", "", "..", "7/a"])
            if slash == "/%2F", isFolder { break }
            let slashes = path.indices.dropFirst().filter { path[$0] == "/" }
            if once(in: 3), let last = pick([slashes.last, slashes.first]) {
                request.path = path[..<last] + slash + path[path.index(after: last)...]
            } else {
                request.path += added
            }
        }
        return request
    }
}

extension Credentials {
    /// True if it is clear which of two mistakes is reported, when the query contains a token as well.
    fileprivate var isOfOneReadingBesideQuery: Bool {
        switch self {
        case .none, .otherScheme, .twice, .text, .token: true
        case .empty, .malformed: false
        }
    }
}
