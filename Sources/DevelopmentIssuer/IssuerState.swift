import JOSE
import JOSESigning
import StrictJSON
import Synchronization

/// State that the issuer's endpoints share: its identifier, keys and faults.
final class IssuerState: Sendable {
    let algorithm: DevelopmentAlgorithm
    private let identifier = Mutex("")
    private let keys = Mutex(SigningKeys())
    let faults = FaultSwitch()

    init(algorithm: DevelopmentAlgorithm) throws(SigningFailure) {
        self.algorithm = algorithm
        _ = try key(for: algorithm)
    }

    /// The issuer identifier (RFC 8414 §2). Set when the address is bound, before the first request is answered.
    var issuer: String {
        identifier.withLock { identifier in identifier }
    }

    func bound(as issuer: String) {
        identifier.withLock { identifier in identifier = issuer }
    }
}

// MARK: - Keys

extension IssuerState {
    var publishedKeys: [SigningKey] {
        keys.withLock { keys in keys.published }
    }

    var algorithms: [DevelopmentAlgorithm] {
        keys.withLock { keys in keys.algorithms }
    }

    /// Returns the signing key for an algorithm. Generates and publishes one if there is none yet.
    func key(for algorithm: DevelopmentAlgorithm) throws(SigningFailure) -> SigningKey {
        if let known = keys.withLock({ keys in keys.key(for: algorithm) }) { return known }
        let made = try Self.makeKey(algorithm)
        return keys.withLock { keys in keys.add(made, for: algorithm) }
    }

    /// Replaces the keys of all algorithms in use, and returns the ID of the key for the issuer's own algorithm.
    func rotate(_ oldKeys: OldKeys) throws(SigningFailure) -> String {
        // Generated outside the lock: an RSA key takes long enough to delay requests noticeably.
        let own = try Self.makeKey(algorithm)
        var made = [algorithm: own]
        for other in algorithms where other != algorithm { made[other] = try Self.makeKey(other) }
        keys.withLock { keys in keys.rotate(to: made, oldKeys) }
        return own.keyID
    }

    private static func makeKey(_ algorithm: DevelopmentAlgorithm) throws(SigningFailure) -> SigningKey {
        try SigningKey.generate(algorithm.signatureAlgorithm, keyID: "dev-" + RandomIdentifier.make(byteCount: 6))
    }
}

// MARK: - Tokens

extension IssuerState {
    /// Makes a token.
    ///
    /// - Parameter now: time of issue, in seconds since 1970.
    func mint(_ request: TokenRequest, at now: Int) throws(MintingFailure) -> String {
        let claims = TokenClaims(
            issuer: issuer, request: request, now: now, tokenID: RandomIdentifier.make(byteCount: 16))
        let json = try claims.json()
        let algorithm = request.algorithm ?? self.algorithm
        let key = try signingKey(for: request.signer, algorithm: algorithm)
        return key.compactJWS(header: Self.header(algorithm, keyID: key.keyID, type: request.type), payload: json)
    }

    private func signingKey(for signer: TokenSigner, algorithm: DevelopmentAlgorithm) throws(MintingFailure)
        -> SigningKey
    {
        do throws(SigningFailure) {
            return switch signer {
            case .publishedKey: try key(for: algorithm)
            case .impostor: try Self.makeKey(algorithm).renamed(try key(for: algorithm).keyID)
            case .unpublishedKey: try Self.makeKey(algorithm)
            }
        } catch {
            throw .keyUnavailable
        }
    }

    /// Header of a token. It names the algorithm as the issuer was configured, so `EdDSA` is written as such (RFC 8037
    /// §3.1).
    private static func header(_ algorithm: DevelopmentAlgorithm, keyID: String, type: String?) -> String {
        JSONObjectWriter.text { writer, bytes in
            writer.member("alg", string: algorithm.rawValue, into: &bytes)
            writer.member("kid", string: keyID, into: &bytes)
            if let type { writer.member("typ", string: type, into: &bytes) }
        }
    }
}
