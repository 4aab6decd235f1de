import DevelopmentIssuer
import Synchronization
import TestSupport

/// Tokens for an endless series of requests, renewed now and then, as clients get new ones.
final class SoakTokens: Sendable {
    /// Reason for which a token is refused.
    enum Flaw: CaseIterable {
        case missing, malformed, forged, expired, notYetValid, wrongAudience, missingScope, wrongType, changed
    }

    struct Batch: Sendable {
        var good: [String] = []
        var bad: [Flaw: String] = [:]
    }

    private let issuer: AuthorizationServer
    private let batch: Mutex<Batch>

    init(_ issuer: AuthorizationServer) throws {
        self.issuer = issuer
        batch = Mutex(try Self.made(by: issuer))
    }

    /// Replaces all tokens by new ones, signed with the issuer's current key.
    func renew() throws {
        let new = try Self.made(by: issuer)
        batch.withLock { $0 = new }
    }

    var present: Batch { batch.withLock { $0 } }

    private static func made(by issuer: AuthorizationServer) throws -> Batch {
        let request = TokenRequest(
            client: "app-1", subject: "user-1", audiences: [GatewayText.audience], scopes: ["read"])
        var batch = Batch()
        for number in 0..<50 {
            var own = request
            own.extraClaims = #"{"jti":"\#(number)"}"#
            batch.good.append(try issuer.mint(own))
        }
        for flaw in Flaw.allCases {
            var own = request
            switch flaw {
            case .missing: continue
            case .malformed:
                batch.bad[flaw] = "not-a-token"
                continue
            case .changed:
                let good = batch.good[0]
                let middle = good.index(good.startIndex, offsetBy: good.count - 20)
                batch.bad[flaw] =
                    good[..<middle] + (good[middle] == "A" ? "B" : "A") + good[good.index(after: middle)...]
                continue
            case .forged: own.signer = .impostor
            case .expired: own.lifetime = .seconds(-120)
            case .notYetValid: own.extraClaims = #"{"nbf":4102444800}"#
            case .wrongAudience: own.audiences = ["https://elsewhere.example"]
            case .missingScope: own.scopes = ["write"]
            case .wrongType: own.type = "logout+jwt"
            }
            batch.bad[flaw] = try issuer.mint(own)
        }
        return batch
    }
}
