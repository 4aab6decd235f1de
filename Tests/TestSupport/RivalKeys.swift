import Foundation
import JOSE
import JOSESigning

/// An issuer's key and an attacker's with the same `kid`, both for one algorithm.
public struct RivalKeys: Sendable, CustomStringConvertible {
    public let genuine: SigningKey
    public let attackers: SigningKey

    /// Name of the algorithm, which is also the `kid`.
    public var description: String { genuine.keyID }

    /// A pair for each signature algorithm.
    public static let all: [RivalKeys] = SignatureAlgorithm.allCases.map { algorithm in
        guard let genuine = try? key(algorithm, TestKeys.rsa), let attackers = try? key(algorithm, TestKeys.impostor)
        else {
            preconditionFailure("no key")
        }
        return RivalKeys(genuine: genuine, attackers: attackers)
    }

    /// A new key; for RSA an existing one, because generating it takes long.
    private static func key(_ algorithm: SignatureAlgorithm, _ rsa: SigningKey) throws -> SigningKey {
        guard algorithm.keyType == .rsa else { return try .generate(algorithm, keyID: algorithm.rawValue) }
        return try rsa.renamed(algorithm.rawValue, algorithm: algorithm)
    }
}

extension TestToken {
    /// The token with each header member that contains or locates a key (RFC 7515 §4.1.2–4.1.8), and once with all of
    /// them.
    ///
    /// - Parameter place: URL of a server that would answer with the key.
    public func bringing(_ key: SigningKey, from place: String) throws -> [(members: String, token: TestToken)] {
        let certificate = Data(try key.selfMadeCertificate()).base64EncodedString()
        let members = [
            ("jwk", key.publicJWK), ("jku", "\"\(place)/jwks\""), ("x5u", "\"\(place)/certificate\""),
            ("x5c", "[\"\(certificate)\"]"),
        ]
        let all = members.reduce(self) { token, member in token.withHeader(member.0, member.1) }
        return members.map { ($0.0, withHeader($0.0, $0.1)) } + [("all", all)]
    }
}
