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
    let segments: [String]
    let trailingSlash: Bool

    init(_ text: String) {
        self.text = text
        let parts = text.split(separator: " ")
        methods = parts[0].split(separator: ",").map(String.init)
        segments = parts[1].split(separator: "/").map(String.init)
        trailingSlash = parts[1].count > 1 && parts[1].hasSuffix("/")
    }

    /// Segments without the names of parameters, and the trailing slash: equal for two rules with paths of the same
    /// shape.
    var shape: [String] {
        segments.map { $0.hasPrefix("{") ? "{}" : $0 } + (trailingSlash ? ["/"] : [])
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

    /// One number per segment: 0 for the end of the pattern, then literal, parameter, star, double star.
    private func pathRank(for path: [String]) -> [Int]? {
        var rank: [Int] = []
        for (index, segment) in segments.enumerated() {
            if segment == "**" { return rank + [4] }
            guard index < path.count else { return nil }
            if segment.hasPrefix("{") {
                rank.append(2)
            } else if segment == "*" {
                rank.append(3)
            } else {
                guard segment == path[index] else { return nil }
                rank.append(1)
            }
        }
        return segments.count == path.count ? rank + [0] : nil
    }

    static func rule(for request: ReferenceRequest, among routes: [ReferenceRoute]) -> String? {
        routes
            .compactMap { route in route.rank(for: request).map { (rank: $0, text: route.text) } }
            .min { $0.rank.lexicographicallyPrecedes($1.rank) }?
            .text
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
