import AccessControl
import IssuerProfiles
import KeySets
import RequestAuthorization
import TokenVerification

/// An issuer of the file, or what was meant to be one: a name with mistakes below it is known all the same.
struct NamedIssuer {
    /// Which of the file's issuers it is; set when all of them are known.
    fileprivate(set) var index: IssuerIndex = 0
    let member: Value.Member
    /// nil: a generic issuer, or a profile with a mistake in its name.
    var profile: IssuerProfile?
    /// nil: the issuer has errors.
    var configured: ConfiguredIssuer?
    /// What its profile says of its tokens; nil: it has none, or errors.
    var profiled: ProfiledIssuer?
    /// What each of its tokens must meet at every rule.
    var required: [Requirement] = []
    /// Whether each rule beside it must look at a token: a generic issuer with a `require`. Profiles know their tokens,
    /// and public rules beside them.
    var forbidsPublicRules = false

    var name: String { member.key }

    /// Where the file speaks of it first.
    var position: Position { member.value.keyPosition }
}

/// The issuers of the file, in its order.
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

    /// The members of a mapping by the issuers of a resource that they name; nil for one that names none, which is
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
