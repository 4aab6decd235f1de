/// A rule's `METHODS PATH`.
public struct Route: Hashable, Sendable {
    /// Parts of a path, the most specific first; a path that ends is more specific than one that continues.
    public enum Segment: Hashable, Sendable {
        case literal(String)
        case parameter(String)
        /// `*`, one segment.
        case wildcard
        /// `**`, zero or more segments.
        case rest

        fileprivate var rank: Int {
            switch self {
            case .literal: 1
            case .parameter: 2
            case .wildcard: 3
            case .rest: 4
            }
        }
    }

    public let text: String
    public let methods: [String]
    public let segments: [Segment]
    public let hasFinalSlash: Bool

    public init(_ text: String) {
        self.text = text
        let halves = text.split(separator: " ").map(String.init)
        methods = halves.first.map { $0.split(separator: ",").map(String.init) } ?? []
        let path = halves.last ?? ""
        hasFinalSlash = path.hasSuffix("/")
        segments = path.split(separator: "/").map { part in
            switch part {
            case "**": .rest
            case "*": .wildcard
            case _ where part.hasPrefix("{"): .parameter(String(part.dropFirst().dropLast()))
            default: .literal(RequestPath.escaped(String(part)))
            }
        }
    }

    /// Values of the parameters. Nil if the route does not cover the path.
    func parameters(in path: [String]) -> [String: String]? {
        let fixed = segments.last == .rest ? segments.dropLast() : segments[...]
        guard segments.last == .rest ? path.count >= fixed.count : path.count == fixed.count else { return nil }
        var values: [String: String] = [:]
        for (segment, text) in zip(fixed, path) {
            switch segment {
            case .literal(let literal): if literal != text { return nil }
            case .parameter(let name): values[name] = text
            case .wildcard, .rest: break
            }
        }
        return values
    }

    /// Precedence, less if more specific: by segments from the left, the final slash, and the method. Nil if the route
    /// does not match the method.
    func specificity(_ method: String, hasFinalSlash: Bool) -> [Int]? {
        let ofMethod =
            methods.contains(method)
            ? 0 : method == "HEAD" && methods.contains("GET") ? 1 : methods == ["ANY"] ? 2 : nil
        guard let ofMethod else { return nil }
        return segments.map(\.rank) + [0, self.hasFinalSlash == hasFinalSlash ? 0 : 1, ofMethod]
    }
}
