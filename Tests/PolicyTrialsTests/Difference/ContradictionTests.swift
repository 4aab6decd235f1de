import AccessControl
import ConfigurationFile
import JOSE
import RequestAuthorization
import Testing
import TokenVerification

@testable import PolicyTrials

/// A verdict other than the one a token was built for.
struct ContradictionTests {
    private static let token = LeastToken(
        header: TokenHeader(algorithm: .rs256, isAccessTokenType: true),
        members: [
            StatedMember("iss", .string("https://id.example.com")),
            StatedMember("aud", .string("https://api.example.com/shop")),
            StatedMember("exp", .integer(1_767_225_900)),
        ])

    /// Verdict of a file whose rule requires a scope.
    private static func verdict(on token: LeastToken) throws -> PolicyTrials.JudgedRequest {
        let side = try PolicySide(
            try PolicyComparisonTests.configuration(PolicyComparisonTests.file("GET /a: read")))
        let witness = Witness(
            method: "GET", url: "https://api.example.com/shop/a",
            credentials: .token(token, in: TokenFields(places: [.authorization])))
        return side.verdict(on: witness, at: PolicySide.time)
    }

    @Test func `a verdict that contradicts a correctly built token counts as Bearward's error`() throws {
        let refused = try Self.verdict(on: Self.token)
        #expect(refused.reason == .policy(.insufficientScope))
        let hasNoScope = TokenTest.claim(ClaimPath(member: "scope"), .absent)
        #expect(PolicyComparison.contradict(refused, refused, Self.token, [hasNoScope]))
    }

    @Test func `a verdict on a token that misses its tests, or for another cause, is no contradiction`() throws {
        let refused = try Self.verdict(on: Self.token)
        let hasScope = TokenTest.first([ClaimPath(member: "scope")], .words([.string("read")], prefix: "", .space))
        #expect(!PolicyComparison.contradict(refused, refused, Self.token, [hasScope]))
        let long = LeastToken(
            header: Self.token.header,
            members: Self.token.members + [StatedMember("x", .string(String(repeating: "x", count: 100_000)))])
        let tooLong = try Self.verdict(on: long)
        #expect(!tooLong.isForwarded)
        #expect(!PolicyComparison.contradict(tooLong, refused, long, [.always(true)]))
        #expect(!PolicyComparison.contradict(refused, tooLong, long, [.always(true)]))
    }
}
