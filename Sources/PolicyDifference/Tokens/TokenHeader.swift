import ConfigurationFile
import JOSE

/// What is asked of a token's protected header.
enum HeaderTest: Hashable {
    case algorithm(SignatureAlgorithmSet)
    /// `typ` is that of an access token (RFC 9068 §2.1).
    case accessTokenType
    case keyID(denied: Set<String>, allowsMissing: Bool)
    /// A `nonce` marks a token that only its platform can verify.
    case foreign

    func holds(for header: TokenHeader) -> Bool {
        switch self {
        case .algorithm(let algorithms): algorithms.contains(header.algorithm)
        case .accessTokenType: header.isAccessTokenType
        case .keyID(let denied, let allowsMissing): header.keyID.map { !denied.contains($0) } ?? allowsMissing
        case .foreign: header.hasNonce
        }
    }
}

/// A protected header, as far as policies tell tokens apart by it.
struct TokenHeader: Hashable {
    var algorithm: SignatureAlgorithm
    var isAccessTokenType = false
    var keyID: String? = TokenHeader.usualKeyID
    var hasNonce = false

    static let usualKeyID = "key"

    var json: [UInt8] {
        var members = [
            StatedMember("alg", .string(algorithm.rawValue)),
            StatedMember("typ", .string(isAccessTokenType ? "at+jwt" : "JWT")),
        ]
        if let keyID { members.append(StatedMember("kid", .string(keyID))) }
        if hasNonce { members.append(StatedMember("nonce", .string("x"))) }
        return StatedValue.object(members).json
    }

    /// The first that is as wanted, the usual ones first; nil: none is.
    static func solution(_ wanted: [Wanted<HeaderTest>]) -> TokenHeader? {
        let denied = wanted.flatMap { if case .keyID(let denied, _) = $0.test { denied.sorted() } else { [String]() } }
        for algorithm in SignatureAlgorithm.allCases {
            for isAccessTokenType in [true, false] {
                for keyID in [usualKeyID, "\(usualKeyID)-2"] + denied + [nil] {
                    for hasNonce in [false, true] {
                        let header = TokenHeader(
                            algorithm: algorithm, isAccessTokenType: isAccessTokenType, keyID: keyID, hasNonce: hasNonce
                        )
                        if wanted.allSatisfy({ $0.test.holds(for: header) == $0.holds }) { return header }
                    }
                }
            }
        }
        return nil
    }
}

/// A test, and whether it is to hold.
struct Wanted<Test: Hashable>: Hashable {
    let test: Test
    let holds: Bool
}
