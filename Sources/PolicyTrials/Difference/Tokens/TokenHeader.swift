import ConfigurationFile
import JOSE
import TokenVerification

/// A protected header, with only the members by which policies distinguish tokens.
struct TokenHeader: Hashable {
    var algorithm: SignatureAlgorithm
    var isAccessTokenType = false
    var keyID: String? = TokenHeader.usualKeyID
    var hasNonce = false
    /// Members that say who signed the token, and for which client.
    var statement: [HeaderStatement.Member: String] = [:]

    static let usualKeyID = "key"

    var json: [UInt8] {
        var members = [
            StatedMember("alg", .string(algorithm.rawValue)),
            StatedMember("typ", .string(isAccessTokenType ? "at+jwt" : "JWT")),
        ]
        if let keyID { members.append(StatedMember("kid", .string(keyID))) }
        if hasNonce { members.append(StatedMember("nonce", .string("x"))) }
        for member in HeaderStatement.Member.allCases {
            if let text = statement[member] { members.append(StatedMember(member.rawValue, .string(text))) }
        }
        return StatedValue.object(members).json
    }

    /// Finds the first header that meets all tests; usual ones are tried first. Nil if none does.
    static func solution(_ wanted: [Wanted<HeaderTest>]) -> TokenHeader? {
        let denied = wanted.flatMap {
            if case .keyIDAmong(let denied) = $0.test { denied.sorted() } else { [String]() }
        }
        let statement = statement(wanted)
        for algorithm in SignatureAlgorithm.allCases {
            for isAccessTokenType in [true, false] {
                for keyID in [usualKeyID, "\(usualKeyID)-2"] + denied + [nil] {
                    for hasNonce in [false, true] {
                        let header = TokenHeader(
                            algorithm: algorithm, isAccessTokenType: isAccessTokenType, keyID: keyID,
                            hasNonce: hasNonce, statement: statement)
                        if header.meets(wanted) { return header }
                    }
                }
            }
        }
        return nil
    }

    /// A text for each member that the tests read: the first that all of them permit. A text of no list if only lists
    /// without it are named.
    private static func statement(_ wanted: [Wanted<HeaderTest>]) -> [HeaderStatement.Member: String] {
        var lists: [HeaderStatement.Member: [(texts: [String], holds: Bool)]] = [:]
        for wanted in wanted {
            guard case .statement(let member, let texts) = wanted.test else { continue }
            lists[member, default: []].append((texts, wanted.holds))
        }
        return lists.reduce(into: [:]) { statement, entry in
            let candidates = entry.value.flatMap { $0.holds ? $0.texts : [] } + ["any-\(entry.key.rawValue)"]
            statement[entry.key] = candidates.first { text in
                entry.value.allSatisfy { $0.texts.contains(text) == $0.holds }
            }
        }
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
