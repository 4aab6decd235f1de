import StrictJSON

/// Rule for `sub`, and for the claims that a token's subject is taken from.
public struct SubjectRule: Sendable, Hashable {
    /// Claims that may contain the subject. The first that is present is the subject.
    public var claims = [ClaimPath(member: "sub")]
    public var isRequired = false
    /// True if an empty subject counts as absent.
    public var ignoresEmpty = false
    /// Greatest length of a subject, in bytes of UTF-8.
    public var longest = 8192

    public init() {}
}

/// A token's subject, and the claim that it was taken from.
struct TokenSubject: Hashable {
    let text: String
    /// Index of the claim among ``SubjectRule/claims``.
    let claim: Int
}

extension SubjectRule {
    /// Number of claims that a log can tell apart. Further ones are not named there.
    public static let mostToldClaims = 15

    /// Reads the claim as a subject.
    public func subject(in claim: JSONValue) throws(IdentifierFault) -> String {
        try claim.subject(longest: longest)
    }
}

extension ClaimsSet {
    /// The subject. Nil if it is absent and not required. Throws if any of the rule's claims is present and not a valid
    /// subject: too long, or with ASCII control characters, for example.
    func subject(_ rule: SubjectRule) throws(TokenRejection) -> TokenSubject? {
        var subject: TokenSubject?
        for (index, path) in rule.claims.enumerated() {
            guard let claim = path.value(in: json), !rule.ignoresEmpty || claim.string?.isEmpty != true else {
                continue
            }
            do throws(IdentifierFault) {
                let text = try rule.subject(in: claim)
                subject = subject ?? TokenSubject(text: text, claim: index)
            } catch {
                throw .subjectInvalid
            }
        }
        guard subject != nil || !rule.isRequired else { throw .subjectInvalid }
        return subject
    }
}
