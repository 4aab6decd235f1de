import Foundation
import JOSE
import JOSESigning
import TestSupport

extension ThreatCases {
    /// Cases of the compact serialization and base64url.
    static let compactForms: [ThreatCase] = [
        .token("T040 no dot", .invalidToken("opaque_not_supported")) {
            $0.goodText.replacingOccurrences(of: ".", with: "")
        },
        .token("T040 one dot", .invalidToken("malformed")) { _ in "a.b" },
        .token("T040 three dots", .invalidToken("malformed")) { $0.goodText + ".e30" },
        .token("T040 a dot first", .invalidToken("malformed")) { "." + $0.goodText },
        .token("T040 a dot last", .invalidToken("malformed")) { $0.goodText + "." },
        .token("T041 an encrypted token", .invalidToken("malformed")) { _ in
            "eyJhbGciOiJkaXIiLCJlbmMiOiJBMTI4R0NNIn0..AA.AA.AA"
        },
        .fields(
            "T042 the JSON serialisation", [#"Authorization: Bearer {"payload":"e30","signatures":[]}"#],
            .malformedCredentials),
        .token("T043 8,000 dots", .invalidToken("malformed")) { _ in String(repeating: ".", count: 8000) },
        .token("T044 padding", .invalidToken("malformed")) { $0.goodText + "=" },
        .token("T044 padding within", .invalidToken("malformed")) {
            $0.goodText.replacingOccurrences(of: ".", with: "=.")
        },
        .token("T045 a plus sign", .invalidToken("malformed")) { $0.goodText + "+" },
        .token("T045 a slash", .invalidToken("malformed")) { $0.goodText + "/" },
        .token("T046 an escaped dot", .malformedCredentials) { $0.goodText.replacingOccurrences(of: ".", with: "%2e") },
        .token("T046 a space within", .malformedCredentials) { $0.goodText.replacingOccurrences(of: ".", with: ". ") },
        .token("T047 a part of a length that cannot be", .invalidToken("malformed")) { _ in "eyJhbGciOiJSUzI1NiJ9.e30.A"
        },
        .token("T048 spare bits in the signature", .invalidToken("malformed")) {
            Self.withSpareBits($0.goodText, part: 2)
        },
        .token("T049 an empty header", .invalidToken("malformed")) { Self.replacing(0, of: $0.goodText) },
        .token("T049 empty claims", .invalidToken("malformed")) { Self.replacing(1, of: $0.goodText) },
        .token("T049 an empty signature", .invalidToken("bad_signature")) { Self.replacing(2, of: $0.goodText) },
        .fields("T052 NUL behind it", ["Authorization: Bearer GOOD\0"], .badRequest),
        .token("T054 another token's claims", .invalidToken("bad_signature")) {
            let other = $0.signed($0.good.with("sub", #""admin""#)).split(separator: ".")[1]
            return Self.replacing(1, of: $0.goodText, with: String(other))
        },
    ]

    /// The token with one part removed or replaced.
    private static func replacing(_ part: Int, of token: String, with other: String = "") -> String {
        var parts = token.split(separator: ".").map(String.init)
        parts[part] = other
        return parts.joined(separator: ".")
    }

    /// The same octets in base64url with unused bits set.
    private static func withSpareBits(_ token: String, part: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var parts = token.split(separator: ".").map(String.init)
        // A signature of 256 octets leaves four unused bits in its last character.
        if let last = parts[part].popLast(), let place = alphabet.firstIndex(of: last) {
            parts[part].append(alphabet[place ^ 1])
        }
        return parts.joined(separator: ".")
    }

    /// Cases of the JOSE header.
    static let headers: [ThreatCase] =
        [
            "none", "None", "NONE", "nOnE", "", "none ", "rs256", "RS256 ", "ＲＳ256", "HS256", "HS384", "HS512", "PS256",
            "RS512", "ES384",
            "ES256K",
            "EdDSA",
        ].map { name in
            .header("T061 alg '\(name)'", "alg", "\"\(name)\"", .invalidToken("alg_not_allowed"))
        }
        + ["RSA1_5", "A128KW", "dir", "PBES2-HS256+A128KW"].map { name in
            .header(
                "T070 alg '\(name)'", "alg", "\"\(name)\",\"p2c\":2147483648,\"p2s\":\"AA\"",
                .invalidToken("alg_not_allowed"))
        }
        + ["null", "1", #"["RS256"]"#, "{}"].map { json in
            .header("T062 alg \(json)", "alg", json, .invalidToken("alg_not_allowed"))
        }
        + [
            .header("T062 no alg", "alg", TestToken.absent, .invalidToken("alg_not_allowed")),
            .token("T061 alg none and no signature", .invalidToken("alg_not_allowed")) {
                Base64URL.encode(Array(#"{"alg":"none","kid":"k1","typ":"at+jwt"}"#.utf8)) + "."
                    + Base64URL.encode(Array($0.claims().utf8))
                    + "."
            },
            .header("T063 alg with an escaped NUL", "alg", #""RS256\u0000""#, .invalidToken("malformed")),
            .header("T067 an EC algorithm with an RSA key", "alg", #""ES256""#, .invalidToken("alg_not_allowed")),
            .header("T067 an RSA algorithm with an EC key", "kid", #""e1""#, .invalidToken("alg_not_allowed")),
            .header(
                "T071 an unknown critical member", "crit", #"["foo"],"foo":1"#, .invalidToken("unsupported_header")),
            .header("T072 an empty crit", "crit", "[]", .invalidToken("unsupported_header")),
            .header("T072 crit a string", "crit", #""foo""#, .invalidToken("unsupported_header")),
            .header("T072 crit names alg", "crit", #"["alg"]"#, .invalidToken("unsupported_header")),
            .header("T073 b64 false", "b64", "false", .invalidToken("unsupported_header")),
            .header(
                "T073 b64 false and critical", "b64", #"false,"crit":["b64"]"#, .invalidToken("unsupported_header")),
            .header("T074 zip", "zip", #""DEF""#, .invalidToken("unsupported_header")),
            .token("T075 a key of its own, with the genuine kid", .invalidToken("bad_signature")) {
                $0.good.withHeader("jwk", TestKeys.impostor.publicJWK).signed(by: TestKeys.impostor)
            },
            .token("T076 jku, signed by somebody else", .invalidToken("bad_signature")) {
                $0.good.withHeader("jku", #""http://169.254.169.254/keys""#).signed(by: TestKeys.impostor)
            },
            .token("T076 x5u, signed by somebody else", .invalidToken("bad_signature")) {
                $0.good.withHeader("x5u", #""file:///etc/passwd""#).signed(by: TestKeys.impostor)
            },
            .token("T077 x5c, signed by somebody else", .invalidToken("bad_signature")) {
                $0.good.withHeader("x5c", #"["MIIC"]"#).signed(by: TestKeys.impostor)
            },
            .header("T077 x5t of another certificate", "x5t", #""AAAA""#, .forwarded),
            .header("T078 a good signature and a jwk", "jwk", TestKeys.impostor.publicJWK, .forwarded),
            .header("T078 a good signature and a jku", "jku", #""http://169.254.169.254/keys""#, .forwarded),
            .header("T078 a good signature and an x5u", "x5u", #""file:///etc/passwd""#, .forwarded),
            .header("T078 a good signature and an x5c", "x5c", #"["MIIC"]"#, .forwarded),
            .header("T094 crit null", "crit", "null", .invalidToken("unsupported_header")),
            .header("T094 enc null", "enc", "null", .invalidToken("unsupported_header")),
            .header("T079 no kid", "kid", TestToken.absent, .invalidToken("unknown_kid")),
            .header("T081 an unknown kid", "kid", #""k2""#, .invalidToken("unknown_kid")),
            .header("T082 kid a number", "kid", "1", .invalidToken("malformed")),
            .header("T082 kid null", "kid", "null", .invalidToken("malformed")),
            .header("T082 kid an array", "kid", #"["k1"]"#, .invalidToken("malformed")),
            .header("T082 kid empty", "kid", #""""#, .invalidToken("malformed")),
            .header("T083 kid a path", "kid", #""../../../../dev/null""#, .invalidToken("unknown_kid")),
            .header("T083 kid SQL", "kid", #""' OR 1=1--""#, .invalidToken("unknown_kid")),
            .header("T083 kid a command", "kid", #""|id""#, .invalidToken("unknown_kid")),
            .header("T083 kid with line ends", "kid", #""k1\r\nx: y""#, .invalidToken("unknown_kid")),
            .header("T083 kid turned round", "kid", "\"\u{202E}1k\"", .invalidToken("unknown_kid")),
            .header(
                "T083 kid of 300 bytes", "kid", "\"\(String(repeating: "k", count: 300))\"", .invalidToken("malformed")),
            .header("T084 kid in another case", "kid", #""K1""#, .invalidToken("unknown_kid")),
            .header("T085 no typ", "typ", TestToken.absent, .invalidToken("typ_mismatch")),
            .header("T085 typ JWT", "typ", #""JWT""#, .invalidToken("typ_mismatch")),
            .header("T085 typ dpop+jwt", "typ", #""dpop+jwt""#, .invalidToken("typ_mismatch")),
            .header("T085 typ logout+jwt", "typ", #""logout+jwt""#, .invalidToken("typ_mismatch")),
            .header("T085 typ a number", "typ", "7", .invalidToken("malformed")),
            .header("T086 typ in its long form", "typ", #""application/at+jwt""#, .forwarded),
            .header("T086 typ in upper case", "typ", #""AT+JWT""#, .forwarded),
            .header("T087 a nested token", "cty", #""JWT""#, .invalidToken("unsupported_header")),
            .header("T088 a nonce in the header", "nonce", #""x""#, .forwarded),
            .header(
                "T089 a header of more than 2 KiB", "x", "\"\(String(repeating: "x", count: 2048))\"",
                .invalidToken("malformed")),
            .token("T090 a header that is an array", .invalidToken("malformed")) { $0.text(header: #"["RS256"]"#) },
            .token("T091 alg twice", .invalidToken("malformed")) {
                $0.text(header: #"{"alg":"RS256","alg":"none","kid":"k1","typ":"at+jwt"}"#)
            },
            .token("T092 alg twice, once escaped", .invalidToken("malformed")) {
                $0.text(header: #"{"alg":"RS256","a\u006cg":"none","kid":"k1","typ":"at+jwt"}"#)
            },
            .header("T093 an unknown member", "foo", "1", .forwarded),
        ]

    /// Cases of signatures and of the keys in use.
    static let signatures: [ThreatCase] = [
        .token("T096 r and s zero", .invalidToken("bad_signature")) {
            $0.withECSignature { _ in [UInt8](repeating: 0, count: 64) }
        },
        .token("T096 all ones", .invalidToken("bad_signature")) {
            $0.withECSignature { _ in [UInt8](repeating: 0xFF, count: 64) }
        },
        .token("T096 r zero", .invalidToken("bad_signature")) {
            $0.withECSignature { [UInt8](repeating: 0, count: 32) + $0.suffix(32) }
        },
        .token("T098 a byte short", .invalidToken("bad_signature")) { $0.withECSignature { Array($0.dropLast()) } },
        .token("T098 a byte long", .invalidToken("bad_signature")) { $0.withECSignature { $0 + [0] } },
        .token("T098 twice as long", .invalidToken("bad_signature")) { $0.withECSignature { $0 + $0 } },
        .token("T099 the twin of a good ECDSA signature", .forwarded) { $0.withECSignature(Self.twin) },
        .token("T100 an RSA signature a byte short", .invalidToken("bad_signature")) {
            $0.withSignature { Array($0.dropLast()) }
        },
        .token("T100 a zero before it", .invalidToken("bad_signature")) { $0.withSignature { [0] + $0 } },
        .token("T100 zero", .invalidToken("bad_signature")) {
            $0.withSignature { _ in [UInt8](repeating: 0, count: 256) }
        },
        .token("T100 larger than the modulus", .invalidToken("bad_signature")) {
            $0.withSignature { _ in [UInt8](repeating: 0xFF, count: 256) }
        },
        .token("T105 another issuer's key of the same name", .invalidToken("bad_signature")) {
            $0.good.signed(by: ThreatTokens.other)
        },
    ]

    /// The signature (r, n − s), which is as valid as (r, s): the text of a token must not be used as its identity.
    private static func twin(_ signature: [UInt8]) -> [UInt8] {
        // The order of P-256 (SEC 2 §2.4.2).
        let order: [UInt8] =
            [0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
            + [0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51]
        var (difference, borrow) = ([UInt8](repeating: 0, count: 32), 0)
        for index in (0..<32).reversed() {
            let value = Int(order[index]) - Int(signature[32 + index]) - borrow
            borrow = value < 0 ? 1 : 0
            difference[index] = UInt8(value < 0 ? value + 256 : value)
        }
        return signature.prefix(32) + difference
    }

    /// Cases of JSON.
    static let json: [ThreatCase] =
        [
            .token("T119 aud twice, the good one first", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","aud":"x""#))
            },
            .token("T119 aud twice, the good one last", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(first: #""aud":"x","#))
            },
            .token("T119 exp twice", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","exp":9999999999"#))
            },
            .token("T120 aud twice, once escaped", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","\u0061ud":"x""#))
            },
            .token("T120 twice in a nested object", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","x":{"a":1,"a":2}"#))
            },
            .token("T121 a space behind the object", .forwarded) { $0.text(claims: $0.claims() + " \n") },
            .token("T121 a letter behind the object", .invalidToken("malformed")) {
                $0.text(claims: $0.claims() + "x")
            },
            .token("T121 another object behind it", .invalidToken("malformed")) { $0.text(claims: $0.claims() + "{}") },
            .token("T121 NUL behind it", .invalidToken("malformed")) { $0.text(claims: $0.claims() + "\0") },
            .token("T122 a byte order mark", .invalidToken("malformed")) { $0.text(claims: "\u{FEFF}" + $0.claims()) },
            .token("T127 64 levels", .forwarded) { $0.text(claims: $0.claims(last: nested(63))) },
            .token("T127 65 levels", .invalidToken("malformed")) { $0.text(claims: $0.claims(last: nested(64))) },
            .token("T127 2,000 levels", .invalidToken("malformed")) { $0.text(claims: $0.claims(last: nested(2000))) },
            .token("T128 more than 128 members", .forwarded) { tokens in
                tokens.text(claims: tokens.claims(last: (0..<130).map { #","m\#($0)":1"# }.joined()))
            },
            .token("T129 an integer of 400 digits", .forwarded) {
                $0.text(claims: $0.claims(last: #","x":"# + String(repeating: "9", count: 400)))
            },
            .token("T132 claims that are an array", .invalidToken("malformed")) { $0.text(claims: "[]") },
            .token("T132 claims that are a number", .invalidToken("malformed")) { $0.text(claims: "1") },
            .token("T132 claims that are white space", .invalidToken("malformed")) { $0.text(claims: " ") },
            .token("T133 names that differ by case", .forwarded) {
                $0.text(claims: $0.claims(last: #","Aud":"x","EXP":1"#))
            },
        ]
        + [
            "'x'", "1/*c*/", "NaN", "Infinity", "0x1", "+1", "01", ".5", "1.", "1e400",
            "1e1000000000",
        ].map { value in
            .token("T126 a claim of \(value.debugDescription)", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","x":"# + value))
            }
        }
        + [
            ("T124", #""\ud800""#), ("T124", #""\udc00""#), ("T125", #""a\u0000b""#), ("T131", "\"\u{1}\""),
            ("T131", "\"\u{1F}\""),
            ("T131", "\"\t\""),
        ].map { number, value in
            .token("\(number) a claim of \(value.debugDescription)", .invalidToken("malformed")) {
                $0.text(claims: $0.claims(last: #","x":"# + value))
            }
        }

    /// A member whose value is an array nested this deep.
    private static func nested(_ depth: Int) -> String {
        #","x":"# + String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
}
