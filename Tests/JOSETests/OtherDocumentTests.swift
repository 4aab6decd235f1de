import JOSE
import JOSESigning
import StrictJSON
import Testing

@Suite struct OtherDocumentTests {
    private static func rejection(of document: [UInt8]) -> KeySetRejection? {
        do throws(KeySetRejection) {
            _ = try KeySet(parsing: document.span)
            return nil
        } catch {
            return error
        }
    }

    private static func pem(_ label: String) -> String { "-----BEGIN \(label)-----\nMIIC\n-----END \(label)-----\n" }

    @Test(
        arguments: [
            (pem("CERTIFICATE"), .certificate), (pem("TRUSTED CERTIFICATE"), .certificate),
            (pem("X509 CERTIFICATE"), .certificate),
            (pem("PUBLIC KEY"), .publicKey), (pem("RSA PUBLIC KEY"), .publicKey),
            (pem("PRIVATE KEY"), .privateKey), (pem("RSA PRIVATE KEY"), .privateKey),
            (pem("ENCRYPTED PRIVATE KEY"), .privateKey),
            (pem("CERTIFICATE") + pem("EC PRIVATE KEY"), .privateKey),
            (pem("PUBLIC KEY") + pem("CERTIFICATE"), .certificate),
            (
                "Bag Attributes\r\n    localKeyID: 01\r\n" + pem("CERTIFICATE").replacing("\n", with: "\r\n"),
                .certificate
            ),
            (pem("CERTIFICATE REQUEST"), .otherPEM), (pem("EC PARAMETERS"), .otherPEM),
            ("<!DOCTYPE html><html></html>", .markup), ("\n  <?xml version=\"1.0\"?>", .markup),
            (#"{"kty":"EC","crv":"P-256"}"#, .singleKey), (#"{"kty":"RSA","d":null}"#, .singleKey),
            (#"{"kty":"RSA","d":"AQAB"}"#, .singlePrivateKey), (#"{"kty":"oct","k":"AAAA"}"#, .singlePrivateKey),
            (#"[{"kty":"EC"}]"#, .arrayOfKeys),
            (#"{"issuer":"https://id.example","jwks_uri":"https://id.example/keys"}"#, .metadata),
            (
                #"{"a":"-----BEGIN CERTIFICATE-----\nMIIC","b":"-----BEGIN CERTIFICATE-----\nMIIC"}"#,
                .certificatesByKeyID
            ),
        ] as [(String, OtherDocument)])
    func `another kind of document instead of a key set is reported as what it is (T355)`(
        text: String, expected: OtherDocument
    ) {
        #expect(Self.rejection(of: Array(text.utf8)) == .otherDocument(expected))
    }

    @Test func `DER is recognised by its first bytes, and text that begins with the same byte is not`() {
        for length in [0x81, 0x82, 0x83, 0x84] as [UInt8] {
            #expect(Self.rejection(of: [0x30, length, 1, 0x22, 0x30]) == .otherDocument(.der))
        }
        for bytes in [[0x30], [0x30, 0x80], [0x30, 0x85], [0x30, 0x22], [0x31, 0x82, 0x01]] as [[UInt8]] {
            guard case .notJSON? = Self.rejection(of: bytes) else {
                Issue.record("\(bytes)")
                return
            }
        }
    }

    @Test(
        arguments: [
            ("", .notJSON(.empty)), ("-----BEGIN", .notJSON(.notObjectOrArray)), ("MIIC", .notJSON(.notObjectOrArray)),
            ("[]", .notObject),
            ("[1]", .notObject), (#"[{"kid":"k"}]"#, .notObject), ("{}", .noKeysMember),
            (#"{"error":"x"}"#, .noKeysMember),
            (#"{"a":"-----BEGIN CERTIFICATE-----","b":1}"#, .noKeysMember), (#"{"keys":{"kty":"EC"}}"#, .noKeysMember),
        ] as [(String, KeySetRejection)])
    func `an unrecognised document is reported by its JSON error`(text: String, expected: KeySetRejection) {
        #expect(Self.rejection(of: Array(text.utf8)) == expected)
    }

    @Test func `a key set with members of other documents is still a key set`() throws {
        let key = try SigningKey.generate(.es256, keyID: "k").publicJWK
        #expect(Self.rejection(of: Array(#"{"kty":"RSA","jwks_uri":"x","keys":[\#(key)]}"#.utf8)) == nil)
    }

    @Test func `every rejection of a key set is described in a sentence`() {
        #expect(
            "\(KeySetRejection.notJSON(.byteOrderMark))"
                == "is not a JWK set: it begins with a byte order mark (U+FEFF)")
        #expect(
            "\(KeySetRejection.notJSON(.malformed(line: 3, column: 7)))"
                == "is not a JWK set: it is not JSON: line 3, column 7")
        #expect("\(KeySetRejection.otherDocument(.certificate))" == "is a certificate in PEM, not a JWK set")
        #expect(
            "\(KeySetRejection.otherDocument(.singleKey))"
                == #"is a single JWK, not a JWK set; write it as {"keys": [ … ]}"#)
        #expect("\(KeySetRejection.noUsableKey([]))" == "has no usable key: its list of keys is empty")
    }
}
