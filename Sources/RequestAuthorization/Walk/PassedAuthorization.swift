import HTTPMessages
import JOSE
import StrictJSON
import TokenVerification

/// Search for tokens of the file's issuers in an `Authorization` that an upstream gets as it is.
///
/// The whole value is searched, whatever its scheme, and the user name and password of `Basic` too. An upstream may
/// read a token where RFC 6750 has none, and nobody has judged that token. An opaque token cannot be recognised.
struct PassedAuthorization {
    let issuers: IndexedBy<IssuerIndex, IssuerKeyStores>

    /// True if a part of the value is a JWS whose `iss` is one of an issuer of the file, or may be one.
    func hasToken(in value: Span<UInt8>) -> Bool {
        let text = Self.bytes(of: value)
        return hasToken(inText: text) || Self.basicCredentials(in: text).map(hasToken(inText:)) ?? false
    }

    private func hasToken(inText text: [UInt8]) -> Bool {
        let dot = UInt8(ascii: ".")
        for word in text.split(whereSeparator: { $0 != dot && !Base64URL.hasCharacter($0) }) {
            let parts = word.split(separator: dot, omittingEmptySubsequences: false)
            // Any part of three or more, because text may stand right before a token.
            if parts.count >= 3, parts.contains(where: isOfIssuer) { return true }
        }
        return false
    }

    /// True if the part is a JSON object with the `iss` of an issuer, or one that cannot be read.
    private func isOfIssuer(_ part: ArraySlice<UInt8>) -> Bool {
        guard let text = Base64URL.decode(part.span), Self.beginsAsObject(text) else { return false }
        guard let claims = try? JSONDocument(parsing: text.span, limits: .claimsSet).root else { return true }
        guard let issuer = claims[member: "iss"]?.string else { return false }
        return issuers.contains { $0.verifier.issuer.identifiers.contains { $0.matches(issuer) } }
    }

    private static func beginsAsObject(_ text: [UInt8]) -> Bool {
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte) }
        return text.first { !isSpace($0) } == UInt8(ascii: "{")
    }

    /// User name and password of the scheme `Basic` (RFC 7617 §2). Nil for another scheme.
    private static func basicCredentials(in value: [UInt8]) -> [UInt8]? {
        let scheme = Array("basic ".utf8)
        // Letters differ from their lower case in this bit, and the space has it already.
        guard value.count > scheme.count, value.prefix(scheme.count).map({ $0 | 0x20 }) == scheme else { return nil }
        let base64 = value.dropFirst(scheme.count).map { (byte: UInt8) -> UInt8 in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            default: byte
            }
        }
        // As lenient readers do: what is not in the alphabet is left out, and an incomplete group at the end.
        let characters = base64.filter(Base64URL.hasCharacter)
        let whole = characters.dropLast(characters.count % 4)
        return Base64URL.decode(whole.span)
    }

    private static func bytes(of value: Span<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(value.count)
        for index in value.indices { bytes.append(value[index]) }
        return bytes
    }
}

extension RequestWalk {
    /// Rejects a request whose `Authorization` would reach the upstream with a token of an issuer of the file, or more
    /// than once. It is not suspended where a rule is only observed.
    mutating func judgePassedAuthorization(
        of head: borrowing RequestHead, _ compiled: CompiledResource
    ) throws(Interruption) {
        guard compiled.resource.passesAuthorization, head.contains(.authorization) else { return }
        let search = PassedAuthorization(issuers: authorizer.issuers)
        guard let field = head.only(.authorization) else { throw refusedAuthorization(Self.severalAuthorizations) }
        guard !search.hasToken(in: head.bytes.span.extracting(field.value)) else {
            throw refusedAuthorization(Self.tokenInAuthorization)
        }
    }

    private mutating func refusedAuthorization(_ hint: String) -> Interruption {
        facts.stage = .credentials
        facts.hint = hint
        return .reject(Rejection(.credentials(.multiple)))
    }

    static let severalAuthorizations =
        "This resource passes `Authorization` to its upstream, and the request has more than one."
    static let tokenInAuthorization = """
        This resource passes `Authorization` to its upstream without judging it, and the request's has a token of one \
        of the file's issuers.
        """
}
