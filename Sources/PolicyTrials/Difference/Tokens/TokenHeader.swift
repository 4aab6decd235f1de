import ConfigurationFile
import JOSE
import TokenVerification

/// A protected header, with only the members by which policies distinguish tokens.
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

    /// Finds the first header that meets all tests; usual ones are tried first. Nil if none does.
    static func solution(_ wanted: [Wanted<HeaderTest>]) -> TokenHeader? {
        let denied = wanted.flatMap {
            if case .keyIDAmong(let denied) = $0.test { denied.sorted() } else { [String]() }
        }
        for algorithm in SignatureAlgorithm.allCases {
            for isAccessTokenType in [true, false] {
                for keyID in [usualKeyID, "\(usualKeyID)-2"] + denied + [nil] {
                    for hasNonce in [false, true] {
                        let header = TokenHeader(
                            algorithm: algorithm, isAccessTokenType: isAccessTokenType, keyID: keyID, hasNonce: hasNonce
                        )
                        if header.meets(wanted) { return header }
                    }
                }
            }
        }
        return nil
    }

    private func meets(_ wanted: [Wanted<HeaderTest>]) -> Bool {
        guard let header = parsed else { return false }
        return wanted.allSatisfy { $0.test.holds(for: header) == $0.holds }
    }

    /// The header as verification parses it. Nil if verification would reject it.
    var parsed: ProtectedHeader? { try? ProtectedHeader(parsing: json.span) }
}

/// A test, and whether it must hold or fail.
struct Wanted<Test: Hashable>: Hashable {
    let test: Test
    let holds: Bool
}
