import TestSupport
import Testing

@testable import AccessControl

/// The order of places, written a second time over strings.
private struct ReferencePlace {
    let text: String
    let host: String
    let port: Int?
    let segments: [String]

    init(_ text: String) {
        self.text = text
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        let authority = text[..<slash].split(separator: ":")
        host = authority.first.map(String.init) ?? ""
        port = authority.count > 1 ? Int(authority[1]) : nil
        segments = text[slash...].split(separator: "/").map(String.init)
    }

    /// Precedence of the place for a request; the greatest wins. Nil if it does not cover the request.
    func rank(host requestHost: String, port requestPort: Int?, segments path: [String]) -> [Int]? {
        guard port == nil || port == requestPort, path.starts(with: segments), let host = hostRank(for: requestHost)
        else { return nil }
        return [host, port == nil ? 0 : 1, segments.count]
    }

    private func hostRank(for requestHost: String) -> Int? {
        if host.isEmpty { return 0 }
        if host == requestHost { return 2 }
        let labels = requestHost.split(separator: ".")
        return host.hasPrefix("*.") && labels.dropFirst().joined(separator: ".") == host.dropFirst(2) ? 1 : nil
    }
}

struct PlaceTableDifferentialTests {
    private static let hosts = ["", "", "a.com", "b.a.com", "*.a.com", "*.com", "*.b.a.com", "c.b.a.com", "com"]
    private static let names = ["x", "y", "z"]

    private static func places(_ generator: inout SeededGenerator) -> [ReferencePlace] {
        var places: [ReferencePlace] = []
        for _ in 0..<Int.random(in: 1...12, using: &generator) {
            let host = hosts[Int.random(in: 0..<hosts.count, using: &generator)]
            let port = host.isEmpty ? "" : ["", "", ":80", ":8443"][Int.random(in: 0..<4, using: &generator)]
            let path = path(&generator).map { "/" + $0 }.joined()
            let text = host + port + (host.isEmpty && path.isEmpty ? "/" : path)
            if !places.contains(where: { $0.text == text }) { places.append(ReferencePlace(text)) }
        }
        return places
    }

    private static func path(_ generator: inout SeededGenerator) -> [String] {
        (0..<Int.random(in: 0...3, using: &generator)).map { _ in
            names[Int.random(in: 0..<names.count, using: &generator)]
        }
    }

    @Test(arguments: 0..<5)
    func `the compiled place table agrees with a search through sorted places, whatever their order`(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var found = 0
        for _ in 0..<300 {
            let places = Self.places(&generator).shuffled(using: &generator)
            let table = try PlaceTable(places.map { try PlacePattern(at: $0.text) })
            for _ in 0..<20 {
                let host = ["a.com", "b.a.com", "c.b.a.com", "d.a.com", "com", "d.com", "e.org"][
                    Int.random(in: 0..<7, using: &generator)]
                let port = [nil, 80, 8443, 1][Int.random(in: 0..<4, using: &generator)]
                let path = Self.path(&generator)
                let expected =
                    places
                    .compactMap { place in
                        place.rank(host: host, port: port, segments: path).map { (rank: $0, place: place) }
                    }
                    .max { $0.rank.lexicographicallyPrecedes($1.rank) }?
                    .place
                let match = try table.find(host: host, port: port, "/" + path.joined(separator: "/"))
                #expect(
                    match.map { places[$0.placeIndex.rawValue].text } == expected?.text,
                    "\(host) \(port ?? 0) \(path) at \(places.map(\.text))")
                #expect(match?.segments == expected?.segments.count)
                found += expected == nil ? 0 : 1
            }
        }
        #expect(found > 2_000)
    }
}
