import StrictJSON
import TokenVerification

/// One fact about a token that a rule can ask for, whoever issued it; neither the time nor the request decides it.
public enum TokenFact: Sendable, Hashable {
    case claim(ClaimPath, ClaimTest)
    /// The token has one of these names. Of scopes the first is what is asked for, and the others imply it.
    case named(TokenAttribute, [ClaimScalar])

    /// Test for a token of an issuer of which it is true.
    public func test(of issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .claim(let path, let test): .claim(path, test)
        case .named(let attribute, let names): attribute.test(for: names, of: issuer)
        }
    }

    /// The claims by which a token of an issuer is judged.
    public func paths(of issuer: TrustedIssuer) -> [ClaimPath] {
        switch self {
        case .claim(let path, _): [path]
        case .named(let attribute, _): attribute.paths(of: issuer)
        }
    }

    var denial: Denial {
        switch self {
        case .claim: .claimRequired
        case .named(let attribute, _): attribute.denial
        }
    }

    /// The scope that it asks for.
    var scope: String? {
        if case .named(.scope, let names) = self { names.first?.description } else { nil }
    }

    /// The texts that it names.
    public var texts: [String] {
        switch self {
        case .claim(_, let test): test.texts
        case .named(_, let names): names.map(\.description)
        }
    }

    // MARK: In words

    /// The name in a list of steps.
    var title: String {
        switch self {
        case .claim(let path, .excluded): "not \(path)"
        case .claim(_, .missing): "absent"
        case .claim(let path, _): "claim \(path)"
        case .named(let attribute, _): attribute.title
        }
    }

    /// A sentence's end, behind what is needed: what a token has.
    func held(by token: VerifiedToken) -> String {
        switch self {
        case .claim(let path, _):
            "; the token has: "
                + (path.value(in: token.claims.json).map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "none")
        case .named(let attribute, _): attribute.held(by: token)
        }
    }
}
