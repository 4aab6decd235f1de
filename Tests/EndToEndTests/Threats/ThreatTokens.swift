import Foundation
import JOSE
import JOSESigning
import TestSupport

/// The tokens and keys of the threat lab.
struct ThreatTokens: Sendable {
    /// A token that is valid for an hour, for the audience `api`, with the scope `read`.
    let good: TestToken
    /// Start of the lab in seconds since 1970.
    let now: Int

    /// Key of the issuer that only `billing` trusts. It has the same `kid` as the first issuer's RSA key.
    static let other = TestKeys.impostor

    init() {
        now = Int(Date().timeIntervalSince1970)
        good = TestToken.good.with("iat", "\(now)").with("exp", "\(now + 3600)")
    }

    func signed(_ token: TestToken) -> String { token.signed(by: TestKeys.rsa) }

    var goodText: String { signed(good) }

    /// A token made from header and claims text that no JSON writer would produce.
    func text(header: String = #"{"alg":"RS256","kid":"k1","typ":"at+jwt"}"#, claims: String? = nil) -> String {
        TestKeys.rsa.compactJWS(header: header, payload: claims ?? self.claims())
    }

    /// The good claims, with members added before and after them.
    func claims(first: String = "", last: String = "") -> String {
        "{" + first + #""iss":"https://iss.example","aud":"api","sub":"user-1","client_id":"app-1","scope":"read","#
            + #""iat":\#(now),"exp":\#(now + 3600)"# + last + "}"
    }

    /// A good ES256 token with another signature.
    func withECSignature(_ change: ([UInt8]) -> [UInt8]) -> String {
        let parts = good.signed(by: TestKeys.ec).split(separator: ".").map(String.init)
        guard parts.count == 3, let signature = Base64URL.decode(Array(parts[2].utf8).span) else { return "" }
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(change(signature)))"
    }

    /// A good RS256 token with another signature.
    func withSignature(_ change: ([UInt8]) -> [UInt8]) -> String {
        let parts = goodText.split(separator: ".").map(String.init)
        guard parts.count == 3, let signature = Base64URL.decode(Array(parts[2].utf8).span) else { return "" }
        return "\(parts[0]).\(parts[1]).\(Base64URL.encode(change(signature)))"
    }
}
