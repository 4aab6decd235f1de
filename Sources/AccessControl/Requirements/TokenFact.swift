import StrictJSON
import TokenVerification

/// A fact about a token that a rule can require. It depends on neither the time nor the request.
public enum TokenFact: Sendable, Hashable {
    case claim(ClaimPath, ClaimTest)
    /// The token has one of these names of the attribute. For scopes, the first is the required one, and the others
    /// imply it.
    case named(TokenAttribute, [ClaimScalar])

    /// The condition under which the fact is true for a token of an issuer.
    public func test(of issuer: TrustedIssuer) -> TokenTest {
        switch self {
        case .claim(let path, let test): .claim(path, test)
        case .named(let attribute, let names): attribute.test(for: names, of: issuer)
        }
    }

    /// The claims that are compared for a token of an issuer.
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

    /// The required scope. Nil for other facts.
    var scope: String? {
        if case .named(.scope, let names) = self { names.first?.description } else { nil }
    }

    /// The strings that the fact compares with.
    public var texts: [String] {
        switch self {
        case .claim(_, let test): test.texts
        case .named(_, let names): names.map(\.description)
        }
    }

    // MARK: In words

    /// Name of the fact in a list of verification steps.
    var title: String {
        switch self {
        case .claim(let path, .excluded): "not \(path)"
        case .claim(_, .missing): "absent"
        case .claim(let path, _): "claim \(path)"
        case .named(let attribute, _): attribute.title
        }
    }

    /// Continuation of a requirement's description that describes the token: "; the token has: …".
    func held(by token: VerifiedToken) -> String {
        switch self {
        case .claim(let path, _):
            "; the token has: " + (path.shown(in: token.claims.json) ?? "none")
        case .named(let attribute, _): attribute.held(by: token)
        }
    }
}
