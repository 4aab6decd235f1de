import Foundation
import JOSE
import StrictJSON

/// Foreign test vectors, located relative to this file.
enum TestVectors {
    static func document(_ path: String, from file: String = #filePath) throws -> JSONValue {
        let tests = URL(filePath: file).deletingLastPathComponent().deletingLastPathComponent()
        let bytes = [UInt8](try Data(contentsOf: tests.appending(path: "Vectors").appending(path: path)))
        return try JSONDocument(parsing: bytes, limits: JSONLimits(depth: 32, members: 4096, bytes: 1 << 26)).root
    }

    static func wycheproof(_ name: String) throws -> JSONValue {
        try document("wycheproof/testvectors_v1/\(name).json")
    }
}

extension JSONValue {
    /// The bytes of a member written in hexadecimal.
    func hexadecimal(_ member: String) -> [UInt8]? {
        guard let text = self[member]?.string, text.utf8.count.isMultiple(of: 2) else { return nil }
        let digits = Array(text)
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(digits[index...(index + 1)]), radix: 16)
        }
    }
}

func hexadecimal(_ text: String) -> [UInt8] {
    let digits = Array(text.filter { character in character.isHexDigit })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { index in
        UInt8(String(digits[index...(index + 1)]), radix: 16)
    }
}

/// Text of a JWK with members replaced; nil removes a member.
func editedJWK(_ jwk: String, _ changes: [String: Any?]) throws -> String {
    var members = try JSONSerialization.jsonObject(with: Data(jwk.utf8)) as? [String: Any] ?? [:]
    for (name, value) in changes { members[name] = value }
    return String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self)
}

func jsonValue(_ text: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(text.utf8), limits: .keySet).root
}

func verificationKey(_ jwk: String) throws -> VerificationKey {
    try VerificationKey(jwk: try jsonValue(jwk))
}

func keySet(_ jwks: [String]) throws(KeySetRejection) -> KeySet {
    try KeySet(parsing: (#"{"keys":["# + jwks.joined(separator: ",") + "]}").utf8.span)
}

/// Rejection of an unverified compact JWS, or its verification.
enum TokenOutcome: Equatable {
    case verified
    case notCompact(CompactJWSRejection)
    case notBase64URL
    case header(ProtectedHeaderRejection)
    case algorithmUnknown
    case keyUnfit
    case signature(SignatureVerdict)
}

/// Takes a token through all steps of this module: split, decode, header, algorithm, signature.
func outcome(of token: String, key: VerificationKey) -> TokenOutcome {
    outcome(of: Array(token.utf8), key: key)
}

func outcome(of token: [UInt8], key: VerificationKey) -> TokenOutcome {
    do throws(CompactJWSRejection) {
        let parts = try CompactJWS(token.span)
        return outcome(of: token, parts: parts, key: key)
    } catch {
        return .notCompact(error)
    }
}

private func outcome(of token: [UInt8], parts: CompactJWS, key: VerificationKey) -> TokenOutcome {
    let bytes = token.span
    guard let headerJSON = Base64URL.decode(bytes.extracting(parts.protectedHeader)),
        Base64URL.decode(bytes.extracting(parts.payload)) != nil,
        let signature = Base64URL.decode(bytes.extracting(parts.signature))
    else { return .notBase64URL }
    do throws(ProtectedHeaderRejection) {
        let header = try ProtectedHeader(parsing: headerJSON.span)
        guard let named = header.algorithm else { return .algorithmUnknown }
        guard let algorithm = named.resolved(for: key.algorithms) else { return .keyUnfit }
        let verdict = key.verify(
            signature: signature.span, signingInput: bytes.extracting(parts.signingInput), algorithm: algorithm)
        return verdict == .valid ? .verified : .signature(verdict)
    } catch {
        return .header(error)
    }
}
