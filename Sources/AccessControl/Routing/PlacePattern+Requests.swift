/// Example values for code that makes requests at a place.
extension PlacePattern {
    /// A host that the place covers, as written in a URL. Nil if the place covers every host.
    ///
    /// - Parameter label: the label to use for the wildcard `*`.
    public func host(label: String) -> String? {
        switch host {
        case .any: nil
        case .name, .address: host.description
        case .subdomain(let name): "\(label).\(name)"
        }
    }
}

extension RequestPath {
    /// The canonical text of a path with these decoded segments.
    public static func text(of segments: [[UInt8]]) -> String {
        segments.isEmpty ? "/" : segments.map { "/" + PathLiteral.description(of: $0) }.joined()
    }
}
