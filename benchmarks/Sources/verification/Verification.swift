import Foundation
import JOSE
import TokenVerification

/// Microseconds for one verification of each algorithm: the signature alone by libcrypto, the signature by a table of the
/// key if it can have one, and the whole token.
///
/// Reads the object that `Tests/EndToEndTests/Interop/issuer.py` prints from standard input. Prints one line an
/// algorithm; the best of several rounds, since everything that disturbs a round makes it longer.
@main
struct Verification {
    struct Issuer: Decodable {
        let issuer: String
        let tokens: [String: String]
        let keySet: String

        enum CodingKeys: String, CodingKey {
            case issuer, tokens
            case keySet = "key_set"
        }
    }

    static func main() throws {
        let issuer = try JSONDecoder().decode(Issuer.self, from: FileHandle.standardInput.readDataToEndOfFile())
        let keys = try KeySet(parsing: Array(issuer.keySet.utf8).span)
        for name in ["RS256", "PS256", "ES256", "ES384", "EdDSA"] {
            guard let token = issuer.tokens[name], let algorithm = HeaderAlgorithm(name: name) else { continue }
            try measure(name, Array(token.utf8), algorithm, keys, issuer.issuer)
        }
    }

    static func measure(
        _ name: String, _ token: [UInt8], _ algorithm: HeaderAlgorithm, _ keys: KeySet, _ issuer: String
    ) throws {
        let unverified = try UnverifiedToken(token.span)
        guard let keyID = unverified.header.keyID,
            case .found(let key, let exact) = keys.key(keyID: keyID, algorithm: algorithm),
            let signature = Base64URL.decode(token.span.extracting(unverified.jws.signature))
        else { return }
        let trusted = TrustedIssuer(name: "bench", identifier: issuer, algorithms: .all, tokenType: .accessTokenJWT)
        let verifier = TokenVerifier(issuer: trusted)
        let now = NumericDate(seconds: Date().timeIntervalSince1970)
        let signatureOnly = microseconds {
            key.verify(
                signature: signature.span, signingInput: token.span.extracting(unverified.jws.signingInput),
                algorithm: exact)
                == .valid
        }
        let tables = KeyTables(limit: 16, wake: { _ in }, report: { fatalError("\($0.cause)") })
        tables.publish([key])
        tables.build()
        let byTable = microseconds {
            key.verify(
                signature: signature.span, signingInput: token.span.extracting(unverified.jws.signingInput),
                algorithm: exact)
                == .valid
        }
        let whole = microseconds {
            (try? verifier.verify(token.span, keys: keys, audiences: ["https://shopping.your-app.com/api"], at: now))
                != nil
        }
        print("\(name) signature \(rounded(signatureOnly)) table \(rounded(byTable)) token \(rounded(whole))")
    }

    /// The best round's time for one call; the call must succeed every time.
    static func microseconds(_ call: () -> Bool) -> Double {
        let clock = ContinuousClock()
        var best = Double.infinity
        for _ in 0..<7 {
            var calls = 0
            let begin = clock.now
            while clock.now - begin < .milliseconds(150) {
                for _ in 0..<20 { guard call() else { return .nan } }
                calls += 20
            }
            best = min(best, (clock.now - begin) / .microseconds(1) / Double(calls))
        }
        return best
    }

    static func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
}
