import Foundation

/// Figures that `benchmarks/capacity --record` measured on one kind of machine.
struct CapacityFigures: Decodable {
    struct Measured: Decodable {
        let bearward: String
        let date: String
        let processor: String
        let rounds: Int
    }

    /// Times in microseconds of CPU.
    struct Rounds: Decodable {
        let median: Double
        let least: Double
        let most: Double
    }

    let measured: Measured
    /// Cost of a request with a token seen before, by protocol.
    let known: [String: Rounds]
    /// Additional cost of a token's first request, by algorithm.
    let first: [String: Rounds]
    /// Memory in bytes: of a gateway, of a cached token, of idle connections, and of unread responses, by protocol.
    let memory: [String: Double]

    enum CodingKeys: String, CodingKey {
        case measured
        case known = "known_us"
        case first = "first_us"
        case memory = "memory_bytes"
    }

    static let protocols = ["HTTP/1.1", "HTTP/1.1, TLS", "HTTP/2", "HTTP/2, TLS"]
    /// Protocols of the client and of the upstream.
    static let unread = ["HTTP/1.1 to HTTP/1.1", "HTTP/2 to HTTP/1.1", "HTTP/1.1 to HTTP/2", "HTTP/2 to HTTP/2"]
    static let algorithms = ["RS256", "PS256", "ES256", "ES384", "EdDSA"]

    struct Missing: Error {
        let name: String
    }

    static func recorded(on machine: String = "x86_64") throws -> CapacityFigures {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../benchmarks/capacity.json"
        ).standardized
        let all = try JSONDecoder().decode([String: CapacityFigures].self, from: Data(contentsOf: file))
        guard let figures = all[machine] else { throw Missing(name: machine) }
        return figures
    }

    func known(_ name: String) throws -> Rounds { try Self.value(name, in: known) }
    func first(_ name: String) throws -> Rounds { try Self.value(name, in: first) }
    func memory(_ name: String) throws -> Double { try Self.value(name, in: memory) }

    private static func value<Value>(_ name: String, in values: [String: Value]) throws -> Value {
        guard let value = values[name] else { throw Missing(name: name) }
        return value
    }
}
