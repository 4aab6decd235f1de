import AccessControl
import IssuerProfiles
import KeySets
import RequestAuthorization
import TokenVerification

/// Issuer of the file, possibly with errors. Its name is known even if the mapping below it is invalid.
struct NamedIssuer {
    /// Index in the file's issuers. Set once all of them are known.
    fileprivate(set) var index: IssuerIndex = 0
    let member: Value.Member
    /// Profile of the issuer. Nil for a generic issuer, or if the profile's name is wrong.
    var profile: IssuerProfile?
    /// Issuer as configured. Nil if it has errors.
    var configured: ConfiguredIssuer?
    /// Description of the tokens by the profile. Nil without a profile, or if it has errors.
    var profiled: ProfiledIssuer?
    /// Requirements that each of its tokens must meet at every rule.
    var required: [Requirement] = []
    /// True if resources with this issuer must not have public rules: it has a `require` and no profile. Issuers with a
    /// profile permit public rules.
    var forbidsPublicRules = false

    var name: String { member.key }

    /// Position of the issuer's name in the file.
    var position: Position { member.value.keyPosition }
}

/// Issuers of the file, in file order.
struct NamedIssuers {
    let all: [NamedIssuer]

    init(_ issuers: [NamedIssuer] = []) {
        all = IndexedBy<IssuerIndex, NamedIssuer>(issuers).indexed.map { index, issuer in
            var issuer = issuer
            issuer.index = index
            return issuer
        }
    }

    var names: [String] { all.map(\.name) }

    func issuer(named name: String) -> NamedIssuer? {
        all.first { $0.name.utf8.elementsEqual(name.utf8) }
    }

    /// Members of a mapping whose names are issuers of a resource. The issuer is nil for an unknown name, which is
    /// reported.
    func members(of value: Value, among accepted: [NamedIssuer]) -> [(issuer: NamedIssuer?, value: Value)] {
        (value.members() ?? []).map { member in
            let issuer = accepted.first { $0.name.utf8.elementsEqual(member.key.utf8) }
            if issuer == nil { reportStranger(member, among: accepted) }
            return (issuer, member.value)
        }
    }

    private func reportStranger(_ member: Value.Member, among accepted: [NamedIssuer]) {
        let known = issuer(named: member.key) != nil ? "not in this resource's `issuers`" : "no issuer"
        member.reportKey(
            "`\(member.key)` is \(known)", hint: NearestName.hint(for: member.key, among: accepted.map(\.name)))
    }
}
