/// Requests for a place, for code that generates them.
extension PlacePattern {
    /// A host that the place covers, in the form of a URL.
    ///
    /// Nil if it covers every host.
    ///
    /// - Parameter label: the label to use where the place accepts any.
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
