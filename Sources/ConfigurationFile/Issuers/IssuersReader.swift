import IssuerProfiles

/// Reads `issuers`.
enum IssuersReader {
    /// Form of an issuer. `profile` selects its keys.
    static let form = ValueForm.tagged(
        by: IssuerKeys().profile.name,
        [ValueForm.TaggedSection(tag: nil, section: GenericIssuerKeys.section)]
            + IssuerProfile.allCases.map { ValueForm.TaggedSection(tag: $0.rawValue, section: $0.section) })

    static func read(_ value: Value?, waitingLimit: Int) -> NamedIssuers {
        let members = value?.members(
            expected: "a mapping of names to issuers", hint: { "write each below a name of your choice: `NAME: {…}`" })
        guard let members else { return NamedIssuers() }
        let issuers = members.map { member in
            if member.key.isEmpty { member.reportKey("an issuer's name must not be empty") }
            return issuer(member, waitingLimit: waitingLimit)
        }
        SharedIdentifiers.judge(issuers)
        return NamedIssuers(issuers)
    }

    private static func issuer(_ member: Value.Member, waitingLimit: Int) -> NamedIssuer {
        guard let profileValue = member.value.member(\IssuerKeys.profile) else {
            return GenericIssuerReader(member: member, waitingLimit: waitingLimit).read()
        }
        // The other keys depend on the profile, so with an unknown profile they are not checked.
        guard let profile = profile(profileValue) else { return NamedIssuer(member: member) }
        return ProfileReader(member: member, profile: profile, waitingLimit: waitingLimit).read()
    }

    private static func profile(_ value: Value) -> IssuerProfile? {
        guard let name = value.someText(expected: "a profile's name") else { return nil }
        if let profile = IssuerProfile(rawValue: name) { return profile }
        guard !["oidc", "generic"].contains(name) else {
            return value.refuse(
                "`\(name)` is not a profile", hint: "leave `profile` out for a plain OpenID Connect issuer")
        }
        let known = IssuerProfile.allCases.map(\.rawValue)
        let nearest = NearestName.of(name, among: known).map { "did you mean `\($0)`? " } ?? ""
        return value.refuse("`\(name)` is not a profile", hint: "\(nearest)known: \(known.joined(separator: ", "))")
    }
}
