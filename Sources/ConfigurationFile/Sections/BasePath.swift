import AccessControl

/// Path of an upstream's URL, which is put before the path of a request.
struct BasePath {
    /// Path in canonical form.
    let path: String
    /// Prefix of the requests that go to this upstream. Empty for all requests.
    let prefix: String
    /// URL that has the path.
    let value: Value

    /// Warns if the path ends like the paths of its requests begin, so that the upstream gets `/orders/orders/7`.
    func warnOfRepetition(_ places: [WrittenPlace]) {
        let own = path.split(separator: "/")
        for place in places {
            let parts = place.pattern.path.split(separator: "/")
            let behind = parts + prefix.split(separator: "/").filter { $0 != "**" }
            guard let repeated = own.indices.map({ own[$0...] }).first(where: { $0 == behind.prefix($0.count) }) else {
                continue
            }
            let stripping = parts.isEmpty ? "" : "`strip_prefix: true`, or "
            return value.warn(
                "the path of a request comes behind the URL's: the upstream gets `/\((own + behind).joined(separator: "/"))`",
                hint:
                    "take `/\(repeated.joined(separator: "/"))` out of the URL, or write \(stripping)`strip_prefix: false` if that is meant"
            )
        }
    }

    /// Warns of variables and wildcards that other gateways replace in a URL. Here they are sent unchanged.
    static func warnOfVariables(in path: String, _ value: Value) {
        guard let segment = path.split(separator: "/").first(where: { $0.contains("*") || $0.contains("$") }) else {
            return
        }
        let escaped = segment.replacing("*", with: "%2A").replacing("$", with: "%24")
        value.warn(
            "`\(segment)` is a literal here, which the upstream gets",
            hint:
                "take it out, because the path of a request comes behind the URL's; or write `\(escaped)` for the literal"
        )
    }
}
