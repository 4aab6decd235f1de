import AccessControl
import HTTPMessages
import TokenVerification

/// Requests of resources that other proxies forward (forward auth).
extension RequestWalk {
    /// Rejects a request for a resource without an upstream unless it came through a door; elsewhere that resource does
    /// not exist.
    mutating func judgeEntrance(
        of request: borrowing AuthorizationRequest, _ compiled: CompiledResource
    ) throws(Interruption) {
        guard compiled.resource.isForDoorsAlone, !request.isAtDoor else { return }
        facts.hint = Self.noUpstream
        throw .reject(Rejection(.routing(.noResource)))
    }

    /// The upstream of a request. Nil if the forward auth proxy forwards it.
    ///
    /// - Throws: 404 if the resource has upstreams, but none for the path.
    @inline(__always)
    mutating func upstream(
        of request: borrowing AuthorizationRequest, _ resource: ProtectedResource, below segments: Int
    ) throws(Interruption) -> (route: RuleIndex, upstream: UpstreamIndex)? {
        // Upstreams are selected by path alone: their patterns match any method.
        let target = resource.upstream(for: request.path, below: segments)
        guard resource.isForwarded(by: target?.route) else {
            facts.stage = .forwarding
            throw .reject(Rejection(.routing(.noResource)))
        }
        return target
    }

    static let noUpstream = "the resource at this place has no `upstream`, so that it is reached through `doors` alone"
}

extension ProtectedResource {
    /// True if only forward auth proxies forward requests of this resource, since it has no upstream.
    public var isForDoorsAlone: Bool { upstreams.isEmpty }

    /// True if something forwards a permitted request: the upstream of this route, or a proxy if the resource has no
    /// upstream at all.
    public func isForwarded(by route: RuleIndex?) -> Bool { route != nil || isForDoorsAlone }
}

/// CORS: requests that pages of other origins send.
extension RequestWalk {
    /// Decides whether pages of the request's origin may read the response. A refused origin does not reject the
    /// request: it is judged as any other.
    mutating func judgeOrigin(of request: borrowing AuthorizationRequest, _ terms: CrossOriginTerms)
        throws(Interruption)
    {
        facts.origin = .absent
        guard request.head.contains(.origin) else { return }
        guard let value = request.head.only(.origin)?.value else { throw severalOrigins() }
        let origin = request.head.bytes.span.extracting(value)
        if let place = terms.place(of: origin) { return facts.origin = .allowed(.listed(place)) }
        guard origin.isOneOrigin else { throw severalOrigins() }
        facts.origin = terms.policy.origins.contain(origin) ? .allowed(.stated(value)) : .refused
    }

    mutating func severalOrigins() -> Interruption {
        facts.stage = .crossOrigin
        facts.hint = Self.severalOrigins
        return .reject(Rejection(.message(.badRequest)))
    }

    /// The response to a preflight. Nil for any other request.
    ///
    /// Browsers send preflights without a token, so they are answered before any rule is applied.
    mutating func preflight(
        _ request: borrowing AuthorizationRequest, at found: RequestLocation
    ) -> PreflightAnswer? {
        guard let verdict = facts.origin, request.head.isPreflight, let resource = facts.resource,
            let terms = authorizer.compiled[resource]?.crossOrigin,
            let fields = authorizer.crossOriginFields(verdict, of: resource, for: request.head)
        else { return nil }
        facts.stage = .crossOrigin
        guard case .allowed = verdict else { return refused(terms, Self.foreignOrigin) }
        let methods = methods(of: request, at: found)
        guard !methods.isEmpty else { return refused(terms, Self.noRule) }
        let names: [String]
        do throws(RequestedFieldsFault) {
            // Only then are they part of the answer.
            names = terms.policy.allowsAnyRequestField ? try request.head.requestedFields() : []
        } catch {
            return refused(terms, error == .malformed ? Self.noFieldNames : Self.tooManyFields)
        }
        let answer = PreflightAnswer(
            .granted, fields, methods: Array(methods.joined(separator: ", ").utf8),
            requestFields: terms.policy.permittedFields(of: names))
        noteUngranted(by: answer, to: request.head)
        return answer
    }

    /// Notes an answer that permits less than the preflight asks. Its browser reports a CORS error, or sends a request
    /// that no rule is for.
    mutating func noteUngranted(by answer: PreflightAnswer, to head: borrowing RequestHead) {
        let asked = AskedPreflight(head)
        let (grantsMethod, grantsFields) = (asked.grantsMethod(answer), asked.grantsFields(answer))
        guard !grantsMethod || !grantsFields else { return }
        facts.narrowGrant = answer.granted
        if !grantsMethod, !asked.needsNoMethod {
            facts.hint = Self.noMethod
        } else if !grantsFields {
            facts.hint = Self.noFields
        }
    }

    private mutating func refused(_ terms: CrossOriginTerms, _ hint: String) -> PreflightAnswer {
        facts.hint = hint
        return PreflightAnswer(.refused, terms.withoutOrigin, methods: [], requestFields: [])
    }

    /// Methods that rules for the path name. Also the method the preflight asks about, if a rule covers it.
    private func methods(of request: borrowing AuthorizationRequest, at found: RequestLocation) -> [String] {
        let resource = found.compiled.resource
        let (routes, segments) = (resource.routes, found.segments)
        var methods = routes.namedMethods(for: request.path, below: segments)
        if let range = request.head.requestedMethod {
            let asked = request.head.bytes.span.extracting(range)
            let name = request.head.string(range)
            // While requests without a rule are only observed, they are forwarded.
            let isForwarded =
                resource.mode.isObserving(at: now)
                || routes.match(method: asked, path: request.path, below: segments) != nil
            if !methods.contains(name), isForwarded { methods.append(name) }
        }
        for reading in found.readings {
            // Keep only methods for which all readings match equal rules. A request by any other method is 400.
            var judged: [String] = []
            for method in methods
            where resource.asksTheSame(of: method.utf8.span, request.path, reading, below: segments) {
                judged.append(method)
            }
            methods = judged
        }
        return methods
    }

    static let severalOrigins = "the request states more than one origin; a browser states one"
    static let foreignOrigin = "its origin is not in the resource's `cors.origins`"
    static let noRule = "no rule of the resource is for this path"
    static let noMethod =
        "the answer does not permit this method, so the browser sends no request: no rule is for it here"
    static let noFields =
        "the answer does not permit all of these headers, so the browser sends no request: `cors.headers` adds headers"
    static let noFieldNames = "`Access-Control-Request-Headers` has an element that is not a header name"
    static let tooManyFields =
        "`Access-Control-Request-Headers` names more than \(RequestHead.mostRequestedFields) headers, or has more than "
        + "\(RequestHead.mostRequestedFieldBytes / 1024) KiB of names"
}

/// Resource of a request, and readings of its path.
struct RequestLocation {
    /// Number of leading path segments that are the resource's path prefix (its place).
    let segments: Int
    let compiled: CompiledResource
    /// Other readings of a path whose encoded slashes are kept, with `%2F` decoded. Empty for any other path.
    let readings: [RequestPath]
}

/// Handling of paths with `%2F`. Some upstreams decode it before they choose what to serve, and some of these then drop
/// empty segments. So all readings must have the same result.
extension RequestWalk {
    /// The other readings of the path, if encoded slashes make it ambiguous.
    mutating func otherReadings(
        of request: borrowing AuthorizationRequest, below segments: Int, _ compiled: CompiledResource
    ) throws(Interruption) -> [RequestPath] {
        guard request.path.hasEncodedSlashes || request.path.hasDoubleEncoding else { return [] }
        switch compiled.resource.encodedSlashes {
        case .refuse: throw badPath(request.path.encodingHint)
        case .keep:
            guard !request.path.hasDoubleEncoding else { throw badPath(request.path.encodingHint) }
            return try keptReadings(of: request, below: segments, compiled)
        case .opaque:
            do {
                try request.path.judgeDecodings()
            } catch {
                throw badPath(Self.leadsElsewhere)
            }
            return []
        }
    }

    /// The other readings of a path whose slashes are kept. All must be at the same place and have the same upstream.
    private mutating func keptReadings(
        of request: borrowing AuthorizationRequest, below segments: Int, _ compiled: CompiledResource
    ) throws(Interruption) -> [RequestPath] {
        let readings: [RequestPath]
        do {
            readings = try request.path.decodedReadings(forwardedFrom: compiled.resource.stripsPrefix ? segments : 0)
        } catch {
            throw badPath(Self.ambiguous)
        }
        let place = authorizer.place(of: request)?.place
        let upstream = compiled.resource.upstream(for: request.path, below: segments)?.upstream
        for reading in readings {
            // The same place covers the same segments, so no encoded slash is in the place's part.
            guard place != nil, authorizer.place(of: request, reading: reading) == place else {
                throw badPath(Self.otherPlace)
            }
            guard compiled.resource.upstream(for: reading, below: segments)?.upstream == upstream else {
                throw badPath(Self.otherUpstream)
            }
        }
        return readings
    }

    /// Rejects a request whose path, when decoded, matches a rule with other requirements.
    mutating func judgeReadings(
        of request: borrowing AuthorizationRequest, at location: RequestLocation
    ) throws(Interruption) {
        for reading in location.readings {
            let method = request.head.bytes.span.extracting(request.head.method)
            let resource = location.compiled.resource
            guard resource.asksTheSame(of: method, request.path, reading, below: location.segments) else {
                throw badPath(Self.otherRule)
            }
        }
    }

    /// The rejection of a path that two readers may read differently.
    mutating func badPath(_ hint: String?) -> Interruption {
        facts.hint = hint
        return .reject(Rejection(.message(.badRequest)))
    }

    static let noPlace =
        "No resource is at this path, and a `%2F` cannot be part of a place's own path."
    static let ambiguous = """
        Read as `/`, the path's `%2F` makes a segment `.` or `..`, a segment of path parameters only, \
        or a forwarded path that begins with `//`.
        """
    static let leadsElsewhere = """
        Decoded once or twice, the path has a segment that is `.` or `..`, a `\\` or a control character, or begins with `//`: \
        `encoded_slashes: opaque` lets no such path through.
        """
    static let otherPlace = "Read as `/`, the path's `%2F` leads to another place."
    static let otherUpstream = "Read as `/`, the path's `%2F` leads to another upstream."
    static let otherRule = """
        Read as `/`, the path's `%2F` leads to a rule that asks for something else, or to none. \
        A rule for all readings, such as `GET /projects/**`, lets it through.
        """
}

extension RequestPath {
    /// Hint for a path whose encoded slash or double encoding is not permitted. Never nil, since each of the two has a
    /// hint.
    var encodingHint: String? { (hasDoubleEncoding ? PathRejection.doubleEncoding : .encodedSlash).hint }
}

extension ProtectedResource {
    /// The route and the upstream of a path. Nil if there is none.
    ///
    /// - Parameter segments: number of leading path segments that are the resource's path prefix (its place).
    func upstream(for path: RequestPath, below segments: Int) -> (route: RuleIndex, upstream: UpstreamIndex)? {
        guard let route = upstreamRoutes.match(path: path, below: segments)?.ruleIndex, let upstream = upstreams[route]
        else {
            return nil
        }
        return (route, upstream)
    }

    /// True if both readings of a path match rules with the same requirements and quotas, or no rule.
    func asksTheSame(of method: Span<UInt8>, _ path: RequestPath, _ decoded: RequestPath, below segments: Int) -> Bool {
        let first = routes.match(method: method, path: path, below: segments)
        let second = routes.match(method: method, path: decoded, below: segments)
        guard let first, let second else { return first == nil && second == nil }
        guard let policy = policies[first.ruleIndex], policy == policies[second.ruleIndex] else { return false }
        // A decoded path must not reach a rule in maintenance by way of one that is not.
        guard maintenance(of: first.ruleIndex) == maintenance(of: second.ruleIndex) else { return false }
        // A decoded path must not reach an enforced rule by way of one that is only observed.
        guard mode(of: first.ruleIndex) == mode(of: second.ruleIndex) else { return false }
        // An upstream that decodes must not be reached without a quota of its rule.
        guard quotas[first.ruleIndex] == quotas[second.ruleIndex] else { return false }
        // A name in the path is part of what is requested: "acme%2Fbilling" must not be one organization here and
        // another at the upstream.
        return policy.pathParameters.allSatisfy { name in
            routes.value(of: name, in: first, path: path) == routes.value(of: name, in: second, path: decoded)
        }
    }
}
