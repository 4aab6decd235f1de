import JOSE
import StrictJSON

/// Rule for the tokens that a key of an issuer may verify.
public enum KeyBinding: Sendable, Hashable {
    /// A key may verify all tokens of its issuer.
    case none
    /// The key may verify tokens of the issuer that its `issuer` member names; `{tenantid}` in it is replaced by the
    /// token's tenant. A key without this member may verify all tokens. The texts are accepted in the member besides
    /// the token's `iss`.
    case issuerMember(orEqualTo: [String])
    /// The key may verify tokens of the user flow whose key set contains it.
    case policy(PolicyRule)
}

/// User flows ("policies"). Each has its own key set, and its tokens name it in a claim.
public struct PolicyRule: Sendable, Hashable {
    /// Claims that name the user flow. All that are present must agree, without regard to ASCII case.
    public let claims: [ClaimPath]
    /// Accepted user flows, in lower case. A flow has the same index as its key set.
    public let policies: IndexedBy<KeySetIndex, String>

    public init(claims: [ClaimPath], policies: IndexedBy<KeySetIndex, String>) {
        self.claims = claims
        self.policies = policies.mapped { $0.lowercased() }
    }

    /// The key set of the user flow that the token names. Nil if it names none, several, or one that is not accepted.
    func keySet(of claims: ClaimsSet) -> KeySetIndex? {
        policies.firstIndex { test(naming: $0).holds(for: claims) }
    }

    /// Test that at least one of the claims names this user flow, and that the others name it too or are absent.
    func test(naming flow: String) -> TokenTest {
        let named = ClaimTest.exactInAnyCase([.string(flow)])
        let agreeing = claims.map { TokenTest.any([.claim($0, .absent), .claim($0, named)]) }
        return .all(agreeing + [.any(claims.map { .claim($0, named) })])
    }
}

extension KeyBinding {
    /// Throws unless the key may verify a token with these claims.
    func judge(
        _ selected: SelectedKey, identifier: IssuerIdentifier, claims: ClaimsSet, tenant: String?
    ) throws(TokenRejection) {
        switch self {
        case .none: return
        case .issuerMember(let names):
            guard let member = selected.key.issuer else { return }
            let owner = tenant.map { member.replacingTenant(with: $0) } ?? member
            if claims.json[member: "iss"]?.isString(equalTo: owner) == true { return }
            let others = names.map { name in tenant.map { name.replacingTenant(with: $0) } ?? name }
            guard others.contains(where: { $0.utf8.elementsEqual(owner.utf8) }) else { throw .keyIssuerMismatch }
        case .policy(let rule):
            guard let keySet = rule.keySet(of: claims), keySet == selected.keySet else { throw .policyNotAllowed }
            guard identifier.policy.map({ $0 == keySet }) ?? true else { throw .policyNotAllowed }
        }
    }
}

extension String {
    fileprivate func replacingTenant(with tenant: String) -> String {
        let parts = split(separator: "{tenantid}", omittingEmptySubsequences: false)
        return parts.joined(separator: tenant)
    }
}

extension TokenTest {
    /// Test that the claims name an accepted user flow.
    public static func policy(_ rule: PolicyRule) -> TokenTest { .any(rule.policies.map { rule.test(naming: $0) }) }
}

/// Keys that may have signed a token: the key with its `kid`, or a few that fit if key IDs are missing. Never empty.
public struct CandidateKeys: Sendable {
    public let first: SelectedKey
    /// Keys that are tried after the first, in this order.
    public let others: [SelectedKey]

    /// Largest number of keys that are tried for one token. Each costs a signature check, and without a limit the
    /// sender would decide how many.
    public static let most = 4

    public init(_ only: SelectedKey) {
        first = only
        others = []
    }

    /// Takes keys to try. Nil if there are none, or more than ``most``.
    public init?(_ keys: [SelectedKey]) {
        guard let first = keys.first, keys.count <= Self.most else { return nil }
        self.first = first
        others = Array(keys.dropFirst())
    }
}
