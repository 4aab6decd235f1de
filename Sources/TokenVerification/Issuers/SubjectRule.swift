import StrictJSON

/// Rule for `sub`, and for the claims that a token's subject is taken from.
public struct SubjectRule: Sendable, Hashable {
    /// The first that is a non-empty string is the subject.
    public var claims = [ClaimPath(member: "sub")]
    public var isRequired = false
    /// In bytes of UTF-8.
    public var longest = 8192

    public init() {}
}

extension SubjectRule {
    /// The subject that a claim is.
    public func subject(in claim: JSONValue) throws(IdentifierFault) -> String {
        try claim.subject(longest: longest)
    }
}

extension ClaimsSet {
    /// The subject; every claim it can be taken from is, where present, an identifier of sensible length without ASCII
    /// control characters.
    func subject(_ rule: SubjectRule) throws(TokenRejection) -> String? {
        var subject: String?
        for path in rule.claims {
            guard let claim = path.value(in: json) else { continue }
            do throws(IdentifierFault) {
                let text = try rule.subject(in: claim)
                subject = subject ?? text
            } catch {
                throw .subjectInvalid
            }
        }
        guard subject != nil || !rule.isRequired else { throw .subjectInvalid }
        return subject
    }
}
