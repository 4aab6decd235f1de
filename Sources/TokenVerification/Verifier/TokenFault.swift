import JOSE
import StrictJSON

/// The first fault in a token's form, described for the operator: why the token is `malformed`, or its header
/// unsupported.
///
/// Parses the token a second time, like ``UnverifiedToken`` and the signature check. Made only if the fault is
/// reported. Names the part, the byte and the member, but contains no values of the token.
public struct TokenFault: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// Finds the first fault. Nil if the form is valid, if only `alg` is not, and for an opaque token.
    ///
    /// - Parameter padding: whether the parts may end with padding.
    public init?(of token: Span<UInt8>, padding: CompactJWS.Padding = .refused) {
        guard let fault = Self.fault(of: token, padding) else { return nil }
        description = fault
    }

    private static func fault(of token: Span<UInt8>, _ padding: CompactJWS.Padding) -> String? {
        let jws: CompactJWS
        do throws(CompactJWSRejection) {
            jws = try CompactJWS(token, padding: padding)
        } catch {
            return fault(error, of: token, padding)
        }
        return fault(ofHeader: token.extracting(jws.protectedHeader)) ?? fault(ofClaims: token.extracting(jws.payload))
            ?? (Base64URL.decode(token.extracting(jws.signature)) == nil ? spareBits(TokenPart.signature) : nil)
    }

    // MARK: Compact form

    private static func fault(
        _ rejection: CompactJWSRejection, of token: Span<UInt8>, _ padding: CompactJWS.Padding
    ) -> String? {
        switch rejection {
        case .noDots: nil
        case .tooFewParts: "2 parts instead of 3"
        case .tooManyParts: "\(token.indices.count { token[$0] == dot } + 1) parts instead of 3"
        case .encrypted: "5 parts instead of 3: this is an encrypted token (JWE)"
        case .emptyPart, .notBase64URL: faultOfSomePart(token, padding)
        }
    }

    private static let dot = UInt8(ascii: ".")

    /// Describes the first part that is empty or not base64url. Nil if there is none; callers make sure that there is
    /// one.
    private static func faultOfSomePart(_ token: Span<UInt8>, _ padding: CompactJWS.Padding) -> String? {
        var start = 0
        for part in TokenPart.allCases {
            var end = start
            while end < token.count, token[end] != dot { end += 1 }
            if start == end, part != .signature { return "\(part) is empty" }
            let next = min(end + 1, token.count)
            let padded = padding == .accepted ? Base64URL.paddingCount(token.extracting(start..<end)) : 0
            end -= padded
            if let index = (start..<end).first(where: { !Base64URL.hasCharacter(token[$0]) }) {
                return "\(part) is not base64url: \(character(token[index])) at byte \(index + 1) of the token"
            }
            if (end - start) % 4 == 1 {
                return "\(part) is not base64url: it has \(end - start) characters, which is not a possible length"
            }
            if !Base64URL.mayPad(end - start, with: padded) {
                return "\(part) is not base64url: it has \(padded) `=` behind \(end - start) characters"
            }
            start = next
        }
        return nil
    }

    private static func character(_ byte: UInt8) -> String {
        switch byte {
        case UInt8(ascii: "="): "padding"
        case UInt8(ascii: "+"), UInt8(ascii: "/"):
            "`\(Character(UnicodeScalar(byte)))`, which is of the standard alphabet,"
        case 0x21...0x7E: "`\(Character(UnicodeScalar(byte)))`"
        default: "a character that no token has"
        }
    }

    private static func spareBits(_ part: TokenPart) -> String {
        "\(part) is not base64url: the spare bits of its last character are not zero"
    }

    // MARK: Header

    private static func fault(ofHeader encoded: Span<UInt8>) -> String? {
        guard let json = Base64URL.decode(encoded) else { return spareBits(.header) }
        if let fault = JSONFault(in: json.span, limits: .joseHeader) {
            return text(fault, "the header", limits: .joseHeader)
        }
        do throws(ProtectedHeaderRejection) {
            _ = try ProtectedHeader(parsing: json.span)
            return nil
        } catch {
            return fault(error, ofHeader: json.span)
        }
    }

    private static func fault(_ rejection: ProtectedHeaderRejection, ofHeader json: Span<UInt8>) -> String? {
        let header = try? JSONDocument(parsing: json, limits: .joseHeader).root
        return switch rejection {
        case .notJSONObject: "the header is not a JSON object but \(header?.kind.text ?? "something else")"
        case .algorithmMissing: nil
        case .critical: "the header has `crit`"
        case .unencodedPayload: "the header has `b64`"
        case .compressed: "the header has `zip`"
        case .nested: "`cty` declares that the claims are a token themselves (nested JWT)"
        case .encrypted: "the header has `enc`"
        case .keyIDInvalid: header?[member: "kid"].map { "`kid` \(keyIDFault($0))" }
        case .typeInvalid: header?[member: "typ"].map { "`typ` is \($0.kind.text), not text" }
        }
    }

    private static func keyIDFault(_ keyID: JSONValue) -> String {
        guard let text = keyID.string else { return "is \(keyID.kind.text), not text" }
        return text.isEmpty
            ? "is empty" : "is \(text.utf8.count) bytes long; accepted: at most \(ProtectedHeader.longestKeyID)"
    }

    // MARK: Claims

    private static func fault(ofClaims encoded: Span<UInt8>) -> String? {
        guard let json = Base64URL.decode(encoded) else { return spareBits(.claims) }
        if let fault = JSONFault(in: json.span, limits: .claimsSet) {
            return text(fault, "the claims set", limits: .claimsSet)
        }
        guard (try? ClaimsSet(parsing: json.span)) == nil else { return nil }
        return "the claims set is not a JSON object but an array"
    }

    // MARK: JSON

    private static func text(_ fault: JSONFault, _ name: String, limits: JSONLimits) -> String {
        let place = ": a fault at byte \(fault.position) of \(name)"
        return switch fault.rejection {
        case .tooLarge: "\(name) is longer than \(limits.bytes) bytes"
        case .empty: "\(name) contains only white space"
        case .tooDeep: "\(name) nests arrays and objects more than \(limits.depth) deep"
        case .tooManyMembers: "\(name) has an object of more than \(limits.members) members"
        case .duplicateMember: "\(name) has the member \(fault.member.map(quoted) ?? "of an object") twice"
        case .notUTF8: "\(name) is not UTF-8\(place)"
        case .byteOrderMark: "\(name) begins with a byte order mark"
        case .nullCharacter: "\(name) has a zero character\(place)"
        case .numberOutOfRange: "\(name) has a number that is too large\(place)"
        case .trailingBytes: "\(name) has data after its JSON object\(place)"
        case .notObjectOrArray: "\(name) is not a JSON object"
        case .outOfMemory: "\(name) could not be read: out of memory"
        case .malformed: "\(name) is not a JSON object\(place)"
        }
    }

    /// Greatest length of a member name in the description, in bytes. An untrusted client chooses the names.
    private static let longestName = 64

    private static func quoted(_ name: String) -> String {
        let escaped = String(decoding: name.serializedAsJSON.dropFirst().dropLast(), as: UTF8.self)
        return escaped.utf8.count > longestName ? "`\(escaped.prefix(utf8Count: longestName))…`" : "`\(escaped)`"
    }
}

/// The parts of a compact JWS, in their order.
private enum TokenPart: CaseIterable, CustomStringConvertible {
    case header, claims, signature

    var description: String {
        switch self {
        case .header: "part 1"
        case .claims: "part 2"
        case .signature: "part 3"
        }
    }
}
