import AccessControl
import HTTPMessages
import TypedIndices

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
