import Foundation
import JWTKit

/// Microseconds for one verification of a whole token of each algorithm with jwt-kit.
///
/// Reads the object that Bearward's own `verification` reads from standard input: the issuer, its tokens by algorithm,
/// its key set. Prints one line an algorithm; the best of several rounds, since everything that disturbs a round makes
/// it longer.
@main
struct Verification {
    struct Issuer: Decodable {
        let tokens: [String: String]
        let keySet: String

        enum CodingKeys: String, CodingKey {
            case tokens
            case keySet = "key_set"
        }
    }

    static func main() async throws {
        let issuer = try JSONDecoder().decode(Issuer.self, from: FileHandle.standardInput.readDataToEndOfFile())
        let keys = JWTKeyCollection()
        try await keys.add(jwksJSON: issuer.keySet)
        for name in ["RS256", "ES256", "ES384", "EdDSA"] {
            guard let token = issuer.tokens[name] else { continue }
            let bytes = Array(token.utf8)
            let best = try await microseconds { _ = try await keys.verify(bytes, as: AccessTokenClaims.self) }
            print("\(name) token \(String(format: "%.1f", best))")
        }
    }

    /// The best round's time for one call; a call that fails ends the run.
    static func microseconds(_ call: @Sendable () async throws -> Void) async throws -> Double {
        let clock = ContinuousClock()
        var best = Double.infinity
        for _ in 0..<7 {
            var calls = 0
            let begin = clock.now
            while clock.now - begin < .milliseconds(150) {
                for _ in 0..<20 { try await call() }
                calls += 20
            }
            best = min(best, (clock.now - begin) / .microseconds(1) / Double(calls))
        }
        return best
    }
}
