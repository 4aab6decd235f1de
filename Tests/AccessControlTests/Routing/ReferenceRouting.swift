import TestSupport

@testable import AccessControl

/// A request as the reference matchers see it.
struct ReferenceRequest: Sendable {
    var method: String
    var segments: [String]
    var trailingSlash: Bool

    var path: String {
        segments.isEmpty ? "/" : segments.map { "/" + $0 }.joined() + (trailingSlash ? "/" : "")
    }
}

/// The rules of the design, written a second time over strings: all rules that match are sorted by how specific they
/// are.
struct ReferenceRoute: Sendable {
    let text: String
    let methods: [String]
    let head: [ReferenceSegment]
    /// Segments behind `**`. Nil if there is no `**`.
    let tail: [ReferenceSegment]?
    let trailingSlash: Bool
    /// Segments without the names of parameters, and the trailing slash: equal for two rules with paths of the same
    /// shape.
    let shape: [String]

    init(_ text: String) {
        self.text = text
        let parts = text.split(separator: " ")
        methods = parts[0].split(separator: ",").map(String.init)
        let segments = parts[1].split(separator: "/").map(String.init)
        let halves = segments.split(separator: "**", maxSplits: 1, omittingEmptySubsequences: false)
        head = halves[0].map { ReferenceSegment($0) }
        tail = halves.count > 1 ? halves[1].map { ReferenceSegment($0) } : nil
        trailingSlash = parts[1].count > 1 && parts[1].hasSuffix("/")
        shape = segments.map { ReferenceSegment($0).shape } + (trailingSlash ? ["/"] : [])
    }

    func isInConflict(with other: ReferenceRoute) -> Bool {
        shape == other.shape && methods.contains { other.methods.contains($0) }
    }

    /// Precedence of the rule for a request; the least wins. Nil if it does not match.
    func rank(for request: ReferenceRequest) -> [Int]? {
        guard let method = methodRank(for: request.method), let path = pathRank(for: request.segments) else {
            return nil
        }
        let sameForm = request.segments.isEmpty || trailingSlash == request.trailingSlash
        return path + [sameForm ? 0 : 1, method]
    }

    private func methodRank(for method: String) -> Int? {
        if method == "CONNECT" || method == "TRACE" { return nil }
        if methods.contains(method) { return 0 }
        if method == "HEAD", methods.contains("GET") { return 1 }
        return methods.contains("ANY") ? 2 : nil
    }

    /// Numbers for each segment from the left, and behind `**` for each segment from the right.
    private func pathRank(for path: [String]) -> [Int]? {
        let least = head.count + (tail?.count ?? 0)
        guard tail == nil ? path.count == least : path.count >= least else { return nil }
        var ranks: [Int] = []
        for (segment, text) in zip(head, path) {
            guard let rank = segment.rank(for: text) else { return nil }
            ranks += rank
        }
        guard let tail else { return ranks + [0] }
        ranks.append(5)
        for (segment, text) in zip(tail.reversed(), path.reversed()) {
            guard let rank = segment.rank(for: text) else { return nil }
            ranks += rank
        }
        return ranks + [5]
    }

    static func rule(for request: ReferenceRequest, among routes: [ReferenceRoute]) -> String? {
        routes
            .compactMap { route in route.rank(for: request).map { (rank: $0, text: route.text) } }
            .min { $0.rank.lexicographicallyPrecedes($1.rank) }?
            .text
    }
}

/// A segment of a reference route, as the text around its wildcard.
struct ReferenceSegment: Sendable, Equatable {
    private let before: String
    private let after: String
    /// The wildcard without its name. Nil for a literal.
    private let wildcard: String?

    init(_ text: String) {
        guard let start = text.firstIndex(where: { "{*".contains($0) }) else {
            (before, after, wildcard) = (text, "", nil)
            return
        }
        let end = text.lastIndex { "}*".contains($0) } ?? start
        (before, after) = (String(text[..<start]), String(text[end...].dropFirst()))
        wildcard = text[start] == "{" ? "{}" : text[start...end] == "**" ? "**" : "*"
    }

    var shape: String { before + (wildcard ?? "") + after }

    /// 1 for a literal, 2 for text beside a wildcard (the longest first), 3 for a parameter, 4 for a star. Nil if the
    /// segment does not match.
    func rank(for text: String) -> [Int]? {
        guard let wildcard else { return before == text ? [1] : nil }
        let length = before.utf8.count + after.utf8.count
        guard text.hasPrefix(before), text.hasSuffix(after), text.utf8.count > length else { return nil }
        let kind = wildcard == "*" ? 4 : 3
        return length == 0 ? [kind] : [2, -length, -before.utf8.count, kind]
    }
}

/// Random rule sets and requests over an alphabet so small that many requests match.
struct ReferenceGenerator {
    var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    mutating func routes() -> [ReferenceRoute] {
        (0..<Int.random(in: 1...14, using: &generator)).map { _ in route() }
    }

    mutating func route() -> ReferenceRoute {
        var segments = (0..<Int.random(in: 0...4, using: &generator)).map { position in
            let kinds = ["a", "a", "b", "c", "{x\(position)}", "{y\(position)}", "{x\(position)}", "*", "*"]
            return kinds[Int.random(in: 0..<kinds.count, using: &generator)]
        }
        if Int.random(in: 0..<4, using: &generator) == 0 { segments.append("**") }
        let slash =
            !segments.isEmpty && segments.last != "**" && Int.random(in: 0..<4, using: &generator) == 0 ? "/" : ""
        let path = segments.isEmpty ? "/" : segments.map { "/" + $0 }.joined() + slash
        let methods = ["GET", "GET", "POST", "HEAD", "ANY", "ANY", "PURGE", "GET,HEAD", "GET,POST", "POST,PURGE"]
        return ReferenceRoute("\(methods[Int.random(in: 0..<methods.count, using: &generator)]) \(path)")
    }

    /// A route in which some segments have text beside a wildcard, and some stand behind a `**`.
    mutating func routeOfParts() -> ReferenceRoute {
        var segments = (0..<Int.random(in: 0...4, using: &generator)).map { position in
            generator.pick([
                "a", "b", "ab", "aba", "{x\(position)}", "{y\(position)}", "*", "a*", "*a", "b*", "*b", "a*a", "ab*",
                "*ba", "a{x\(position)}b", "{x\(position)}a", "a{y\(position)}", "b{x\(position)}b", "ba*ab",
            ])
        }
        if generator.once(in: 3) { segments.insert("**", at: Int.random(in: 0...segments.count, using: &generator)) }
        let slash = !segments.isEmpty && segments.last != "**" && generator.once(in: 5) ? "/" : ""
        let path = segments.isEmpty ? "/" : segments.map { "/" + $0 }.joined() + slash
        return ReferenceRoute("\(generator.pick(["GET", "GET", "POST", "HEAD", "ANY", "GET,POST"])) \(path)")
    }

    /// A request of short texts over two letters, so that many parts match.
    mutating func requestOfParts() -> ReferenceRequest {
        ReferenceRequest(
            method: generator.pick(["GET", "GET", "POST", "HEAD", "PURGE"]),
            segments: (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                (0..<Int.random(in: 1...4, using: &generator)).map { _ in generator.pick(["a", "b"]) }.joined()
            },
            trailingSlash: generator.once(in: 3)
        )
    }

    mutating func request() -> ReferenceRequest {
        let methods = ["GET", "GET", "POST", "HEAD", "HEAD", "PURGE", "DELETE", "get", "TRACE", "CONNECT"]
        let names = ["a", "a", "b", "c", "d"]
        return ReferenceRequest(
            method: methods[Int.random(in: 0..<methods.count, using: &generator)],
            segments: (0..<Int.random(in: 0...5, using: &generator)).map { _ in
                names[Int.random(in: 0..<names.count, using: &generator)]
            },
            trailingSlash: Bool.random(using: &generator)
        )
    }

    static func conflict(in routes: [ReferenceRoute]) -> RouteConflict? {
        for second in routes.indices {
            for first in 0..<second where routes[first].isInConflict(with: routes[second]) {
                return RouteConflict(first: RuleIndex(first), second: RuleIndex(second))
            }
        }
        return nil
    }

    static func withoutConflicts(_ routes: [ReferenceRoute]) -> [ReferenceRoute] {
        var kept: [ReferenceRoute] = []
        for route in routes where !kept.contains(where: { $0.isInConflict(with: route) }) { kept.append(route) }
        return kept
    }
}
