import JOSE
import StrictJSON

extension FuzzTarget {
    /// Checks that the lenient reader of key sets reads a JWK as the strict reader reads its strict spelling: the same
    /// key, or the same rejection. A private member is always refused.
    static func publishedKey(_ bytes: [UInt8]) {
        guard let jwk = try? JSONDocument(parsing: bytes, limits: .keySet).root, let found = PublishedKey(bytes) else {
            return
        }
        if isPrivate(jwk) {
            require([.privateKey, .symmetricKey].contains(found.refusal), "a private key is not said to be one")
            return
        }
        let spelling = StrictSpelling(jwk)
        guard let strict = try? JSONDocument(parsing: spelling.bytes, limits: .keySet).root else {
            fatalError("no JSON")
        }
        do throws(JSONWebKeyRejection) {
            let exact = try VerificationKey(jwk: strict)
            require(found.key?.thumbprint == exact.thumbprint, "another key, or none")
            require(
                found.key.map { Array($0.jwk.utf8) } == Array(exact.jwk.utf8), "a key that is written anew as another")
            require(found.deviations == spelling.deviations, "an unusual spelling that is not reported, or is none")
        } catch {
            require(found.refusal == error, "another refusal, or none")
        }
    }

    /// True if the JWK has a member of a private or symmetric key with a value.
    private static func isPrivate(_ jwk: JSONValue) -> Bool {
        ["d", "p", "q", "dp", "dq", "qi", "oth", "k"].contains { name in
            jwk[name].map { !StrictSpelling.isAbsence($0) } ?? false
        }
    }
}

/// Result of reading the only key of a set.
private struct PublishedKey {
    private(set) var key: VerificationKey?
    private(set) var deviations: JWKDeviations = []
    private(set) var refusal: JSONWebKeyRejection?

    /// Nil if the set is refused for its size or depth.
    init?(_ jwk: [UInt8]) {
        let document = Array(#"{"keys":["#.utf8) + jwk + Array("]}".utf8)
        do throws(KeySetRejection) {
            let set = try KeySet(parsing: document.span)
            FuzzTarget.require(set.keys.count == 1 && set.skipped.isEmpty, "more than one key")
            key = set.keys.first
            deviations = set.unusual.first?.deviations ?? []
        } catch {
            guard case .noUsableKey(let skipped) = error else { return nil }
            FuzzTarget.require(skipped.count == 1, "not one reason for one key")
            refusal = skipped.first?.reason
        }
    }
}

/// A JWK to the letter of RFC 7517 and RFC 7518: empty members are omitted, and numbers are base64url in their full
/// length.
private struct StrictSpelling {
    private(set) var bytes: [UInt8] = []
    /// Deviations of the original from the strict spelling.
    private(set) var deviations: JWKDeviations = []

    init(_ jwk: JSONValue) {
        guard jwk.kind == .object else {
            bytes = jwk.serialized()
            return
        }
        let numbers = Self.numbers[jwk["kty"]?.string ?? ""] ?? []
        let length = Self.coordinates[jwk["crv"]?.string ?? ""]
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        for member in jwk.members where !Self.isAbsence(member.value) {
            guard numbers.contains(member.name), let text = member.value.string else {
                writer.member(member.name, value: member.value, into: &bytes)
                continue
            }
            let number = padded(
                urlSafe(withoutPadding(text)), to: member.name == "x" || member.name == "y" ? length : nil)
            writer.member(member.name, string: number, into: &bytes)
        }
        writer.end(into: &bytes)
    }

    /// True for values that serializers write for an absent member.
    static func isAbsence(_ value: JSONValue) -> Bool { value.isNull || value.kind == .array && value.count == 0 }

    /// The members of a public key that are numbers or octets, by its type.
    private static let numbers = ["RSA": ["n", "e"], "EC": ["x", "y"], "OKP": ["x"]]

    /// Length of a coordinate in octets, by its curve; the octets of an Edwards key are no number.
    private static let coordinates = ["P-256": 32, "P-384": 48, "P-521": 66]

    /// Removes padding that completes the last four characters.
    private mutating func withoutPadding(_ text: String) -> String {
        var digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return text }
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") {
            digits.removeLast()
            deviations.insert(.padding)
        }
        return String(decoding: digits, as: UTF8.self)
    }

    private mutating func urlSafe(_ text: String) -> String {
        if text.contains("+") || text.contains("/") { deviations.insert(.standardAlphabet) }
        return text.replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Adds leading zeros up to the length, if the number is shorter.
    private mutating func padded(_ text: String, to length: Int?) -> String {
        guard let length, let octets = Base64URL.decode(Array(text.utf8).span), !octets.isEmpty, octets.count < length
        else { return text }
        deviations.insert(.shortCoordinate)
        return Base64URL.encode([UInt8](repeating: 0, count: length - octets.count) + octets)
    }
}
