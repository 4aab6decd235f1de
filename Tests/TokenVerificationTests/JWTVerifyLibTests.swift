import Foundation
import StrictJSON
import TestSupport
import Testing
import TokenVerification

/// The cases of the library used by Envoy's JWT filter. Most of their signatures are dummies, so each is judged twice:
/// unchanged, and with its claims under a valid signature.
@Suite struct JWTVerifyLibTests {
    struct Vector: Decodable, Sendable, CustomTestStringConvertible {
        let test: String
        let input: String
        let expectedStatus: String

        enum CodingKeys: String, CodingKey {
            case test, input
            case expectedStatus = "expected_status"
        }

        var testDescription: String { test }
    }

    static let vectors: [Vector] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../Vectors/jwt_verify_lib/jwt_parse.json")
        guard let data = try? Data(contentsOf: file), let vectors = try? JSONDecoder().decode([Vector].self, from: data)
        else { return [] }
        return vectors
    }()

    @Test func `the jwt-verify-lib vectors are 31, of which 7 are valid`() {
        #expect(Self.vectors.count == 31)
        #expect(Self.vectors.count { $0.expectedStatus == "Ok" } == 7)
    }

    /// Rejection of the unchanged token: none is from a trusted issuer.
    static func verdict(on test: String) -> TokenRejection {
        switch test {
        case "TestEmptyJwt": .opaqueNotSupported
        case "TestParseHeaderBadBase64", "TestParseHeaderBadJson", "TestParseHeaderBadFormatKid",
            "TestParsePayloadBadBase64",
            "TestParsePayloadBadJson", "InvalidSignature":
            .malformed
        // Signed with HMAC, which is not in the algorithm table.
        case "TestParseHeaderAbsentAlg", "TestParseHeaderAlgIsNotString", "TestParseHeaderInvalidAlg",
            "TestParsePayloadIatNotPositive",
            "TestParsePayloadIatTooBig", "TestParsePayloadIatDecimalsDrop", "TestParsePayloadNbfNotPositive",
            "TestParsePayloadNbfTooBig",
            "TestParsePayloadExpNotPositive", "TestParsePayloadExpTooBig":
            .algorithmNotAllowed
        default: .issuerMismatch
        }
    }

    @Test(arguments: vectors) func `each jwt-verify-lib token gets its exact verdict`(_ vector: Vector) {
        #expect(TokenCase("", raw: vector.input, nil).verdict() == Self.verdict(on: vector.test))
    }

    /// Rejection of the claims under a good header and signature, with a good `iss`, `exp` and `aud` unless the case is
    /// about those.
    static func verdict(onClaimsOf vector: Vector) -> TokenRejection? {
        switch vector.expectedStatus {
        case "JwtPayloadParseErrorIssNotString": .issuerMismatch
        // Both are integers of 64 bits, which are read as their digits.
        case "JwtPayloadParseErrorSubNotString", "JwtPayloadParseErrorJtiNotString": nil
        case "JwtPayloadParseErrorAudNotString": .audienceMismatch
        case "JwtPayloadParseErrorExpOutOfRange":
            vector.test == "TestParsePayloadExpNotPositive" ? .expired : .claimInvalid
        case let status where status.hasPrefix("JwtPayloadParseError"): .claimInvalid
        default: nil
        }
    }

    @Test(arguments: vectors.filter { !$0.test.contains("PayloadBad") && !$0.input.isEmpty })
    func `the claims of each jwt-verify-lib token get their exact verdict under a good signature`(_ vector: Vector)
        throws
    {
        let part = try #require(vector.input.split(separator: ".").dropFirst().first)
        let payload = Array(try #require(Data(base64Encoded: Self.padded(String(part)))))
        let json = try JSONDocument(parsing: payload.span, limits: .claimsSet).root
        var claims: [String: String] = [:]
        for member in json.members { claims[member.name] = String(decoding: member.value.serialized(), as: UTF8.self) }
        if !vector.test.contains("IssNot") { claims["iss"] = TestToken.good.claims["iss"] }
        if !vector.test.contains("PayloadExp") { claims["exp"] = TestToken.good.claims["exp"] }
        if !vector.test.contains("PayloadAud") { claims["aud"] = TestToken.good.claims["aud"] }
        var token = TestToken.good
        token.claims = claims
        #expect(TokenCase("", token, nil).verdict() == Self.verdict(onClaimsOf: vector))
    }

    private static func padded(_ part: String) -> String {
        let standard = part.replacing("-", with: "+").replacing("_", with: "/")
        return standard + String(repeating: "=", count: (4 - standard.utf8.count % 4) % 4)
    }
}
