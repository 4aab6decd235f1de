import AccessControl
import HTTPMessages
import TokenVerification

/// Requests that another proxy forwards.
extension RequestWalk {
    /// A resource without an upstream is reached through doors alone; elsewhere it is not there.
    mutating func judgeEntrance(
        of request: borrowing AuthorizationRequest, _ compiled: CompiledResource
    ) throws(Interruption) {
        guard compiled.resource.isForDoorsAlone, !request.isAtDoor else { return }
        facts.hint = Self.noUpstream
        throw .reject(Rejection(.routing(.noResource)))
    }

    /// The upstream of a request. Nil if the proxy that asks at a door forwards it.
    ///
    /// - Throws: 404 if the resource has upstreams, and none is for the path.
    @inline(__always)
    mutating func upstream(
        of request: borrowing AuthorizationRequest, _ resource: ProtectedResource, below segments: Int
    ) throws(Interruption) -> (route: RuleIndex, upstream: UpstreamIndex)? {
        // Upstreams are told apart by path alone: their patterns are for any method.
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
    /// Whether proxies forward its requests, which ask at a door.
    public var isForDoorsAlone: Bool { upstreams.isEmpty }

    /// True if something forwards a permitted request: the upstream of this route, or a proxy if the resource has no
    /// upstream at all.
    public func isForwarded(by route: RuleIndex?) -> Bool { route != nil || isForDoorsAlone }
}

/// Requests of other origins' pages.
extension RequestWalk {
    /// Judges whether pages of the request's origin may read the answer. That refuses nothing: the request is judged as
    /// any.
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

    /// The answer to a preflight. Browsers send those without a token, so they are answered before any rule; nil for
    /// any other request.
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
        return PreflightAnswer(.granted, fields, methods: Array(methods.joined(separator: ", ").utf8))
    }

    private mutating func refused(_ terms: CrossOriginTerms, _ hint: String) -> PreflightAnswer {
        facts.hint = hint
        return PreflightAnswer(.refused, terms.withoutOrigin, methods: [])
    }

    /// The methods that rules for the path name, and the one asked about, if a rule covers it.
    private func methods(of request: borrowing AuthorizationRequest, at found: RequestLocation) -> [String] {
        let resource = found.compiled.resource
        let (routes, segments) = (resource.routes, found.segments)
        var methods = routes.namedMethods(for: request.path, below: segments)
        if let range = request.head.requestedMethod {
            let asked = request.head.bytes.span.extracting(range)
            let name = request.head.string(range)
            // Under no rule the request itself is forwarded while that is only observed.
            let isForwarded =
                resource.mode.isObserving(at: now)
                || routes.match(method: asked, path: request.path, below: segments) != nil
            if !methods.contains(name), isForwarded { methods.append(name) }
        }
        for reading in found.readings {
            // A request by any other method is 400, whatever its token.
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
}

/// Where a request is.
struct RequestLocation {
    /// How many leading segments of the path are the place's.
    let segments: Int
    let compiled: CompiledResource
    /// How a path with encoded slashes is read that are decoded; empty for any other path.
    let readings: [RequestPath]
}

/// Paths with `%2F`. Some upstreams decode it before they choose what to serve, and some then leave out empty segments,
/// so all readings must come to the same.
extension RequestWalk {
    /// The other readings of the path, where encoded slashes have it read in several ways.
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

    /// The other readings of a path whose slashes are kept; they must be at the same place and go to the same upstream.
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
            // The same place covers the same segments, so no encoded slash stands in it.
            guard place != nil, authorizer.place(of: request, reading: reading) == place else {
                throw badPath(Self.otherPlace)
            }
            guard compiled.resource.upstream(for: reading, below: segments)?.upstream == upstream else {
                throw badPath(Self.otherUpstream)
            }
        }
        return readings
    }

    /// Refuses a request whose path asks something else of its token when it is decoded.
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

    /// The answer to a path that two readers may read differently.
    mutating func badPath(_ hint: String?) -> Interruption {
        facts.hint = hint
        return .reject(Rejection(.message(.badRequest)))
    }

    static let noPlace =
        "The path is at no place as it is, and no place covers a path with a `%2F` in the place's own part."
    static let ambiguous = """
        Read as `/`, the path's `%2F` makes a segment that is `.` or `..`, one of parameters alone, \
        or has the path that is forwarded begin with `//`.
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
    /// Why the path is refused where what it holds is not let through.
    var encodingHint: String? { (hasDoubleEncoding ? PathRejection.doubleEncoding : .encodedSlash).hint }
}

extension ProtectedResource {
    /// The route and the upstream of a path; nil when there is none.
    ///
    /// - Parameter segments: how many of its leading segments are the place's.
    func upstream(for path: RequestPath, below segments: Int) -> (route: RuleIndex, upstream: UpstreamIndex)? {
        guard let route = upstreamRoutes.match(path: path, below: segments)?.ruleIndex, let upstream = upstreams[route]
        else {
            return nil
        }
        return (route, upstream)
    }

    /// Whether two readings of a path fall under rules with the same requirements and quotas, or both under none.
    func asksTheSame(of method: Span<UInt8>, _ path: RequestPath, _ decoded: RequestPath, below segments: Int) -> Bool {
        let first = routes.match(method: method, path: path, below: segments)
        let second = routes.match(method: method, path: decoded, below: segments)
        guard let first, let second else { return first == nil && second == nil }
        guard let policy = policies[first.ruleIndex], policy == policies[second.ruleIndex] else { return false }
        // Nor must one that decodes be reached by way of a rule that is only observed.
        guard mode(of: first.ruleIndex) == mode(of: second.ruleIndex) else { return false }
        // An upstream that decodes must not be reached past a quota of its rule.
        guard quotas[first.ruleIndex] == quotas[second.ruleIndex] else { return false }
        // A name in the path is a part of what is asked: "acme%2Fbilling" must not be one organisation here and another
        // upstream.
        return policy.pathParameters.allSatisfy { name in
            routes.value(of: name, in: first, path: path) == routes.value(of: name, in: second, path: decoded)
        }
    }
}
