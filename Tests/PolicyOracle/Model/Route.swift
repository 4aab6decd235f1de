/// A rule's `METHODS PATH`.
public struct Route: Hashable, Sendable {
    /// Parts of a path, the most specific first; a path that ends is more specific than one that continues.
    public enum Segment: Hashable, Sendable {
        case literal(String)
        /// Text before and after one wildcard.
        case partial(before: String, after: String, isNamed: Bool)
        case parameter(String)
        /// `*`, one segment.
        case wildcard
        /// `**`, zero or more segments.
        case rest

        /// Numbers to compare, less if more specific.
        fileprivate var rank: [Int] {
            switch self {
            case .literal: [1]
            case .partial(let before, let after, let isNamed):
                [2, -before.utf8.count - after.utf8.count, -before.utf8.count, isNamed ? 0 : 1]
            case .parameter: [3]
            case .wildcard: [4]
            case .rest: [5]
            }
        }

        fileprivate init(_ part: String) {
            let braces = part.split(omittingEmptySubsequences: false) { "{}".contains($0) }.map(String.init)
            let stars = part.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
            switch part {
            case "**": self = .rest
            case "*": self = .wildcard
            case _ where braces.count == 3:
                let (before, after) = (RequestPath.escaped(braces[0]), RequestPath.escaped(braces[2]))
                let isWhole = before.isEmpty && after.isEmpty
                self = isWhole ? .parameter(braces[1]) : .partial(before: before, after: after, isNamed: true)
            case _ where stars.count == 2:
                let (before, after) = (RequestPath.escaped(stars[0]), RequestPath.escaped(stars[1]))
                self = .partial(before: before, after: after, isNamed: false)
            default: self = .literal(RequestPath.escaped(part))
            }
        }

        fileprivate func covers(_ text: String) -> Bool {
            switch self {
            case .literal(let literal): literal == text
            case .partial(let before, let after, _):
                text.hasPrefix(before) && text.hasSuffix(after)
                    && text.utf8.count > before.utf8.count + after.utf8.count
            case .parameter, .wildcard, .rest: true
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
        segments = path.split(separator: "/").map { Segment(String($0)) }
    }

    /// Segments before `**`, and those behind it. The latter are nil without a `**`.
    private var halves: (head: ArraySlice<Segment>, tail: ArraySlice<Segment>?) {
        guard let rest = segments.firstIndex(of: .rest) else { return (segments[...], nil) }
        return (segments[..<rest], segments[(rest + 1)...])
    }

    /// Values of the parameters. Nil if the route does not cover the path.
    func parameters(in path: [String]) -> [String: String]? {
        let (head, tail) = halves
        guard tail.map({ path.count >= head.count + $0.count }) ?? (path.count == head.count) else { return nil }
        let pairs = Array(zip(head, path)) + Array(zip(tail ?? [], path.suffix(tail?.count ?? 0)))
        guard pairs.allSatisfy({ $0.0.covers($0.1) }) else { return nil }
        var values: [String: String] = [:]
        for case (.parameter(let name), let text) in pairs.prefix(head.count) { values[name] = text }
        return values
    }

    /// Precedence, less if more specific: by segments, the final slash, and the method. Nil if the route
    /// does not match the method.
    func specificity(_ method: String, hasFinalSlash: Bool) -> [Int]? {
        let ofMethod =
            methods.contains(method)
            ? 0 : method == "HEAD" && methods.contains("GET") ? 1 : methods == ["ANY"] ? 2 : nil
        guard let ofMethod else { return nil }
        let (head, tail) = halves
        // Behind `**` the longest segments win, and then the most specific from the right.
        let path = head.flatMap(\.rank) + (tail.map { [5] + $0.reversed().flatMap(\.rank) + [5] } ?? [0])
        return path + [self.hasFinalSlash == hasFinalSlash ? 0 : 1, ofMethod]
    }
}
