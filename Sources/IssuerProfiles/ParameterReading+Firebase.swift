import TokenVerification

extension ParameterReading {
    mutating func firebaseProject() -> String? {
        let hint = "write the project id of the project settings, such as `kestrel-demo-4411`"
        // The ID of a project that belongs to a domain has the form `domain:project`.
        guard let project = word("project_id", also: "-.:", hint: hint) else { return nil }
        guard project.utf8.contains(where: { !(0x30...0x39).contains($0) }) else {
            return mistaken("project_id", "`\(project)` is all digits: that is the project number", hint: hint)
        }
        return project
    }

    /// Checks of the user's tenant, sign-in method and e-mail address.
    mutating func firebaseChecks() -> [IssuerCheck] {
        let provider = ClaimPath(members: "firebase", "sign_in_provider")
        // The following checks need this claim.
        var checks = [IssuerCheck(.some([provider]), else: .claimInvalid)] + [firebaseTenants()].compactMap(\.self)
        let allowsAnonymous = boolean("allow_anonymous")
        if !allowsAnonymous {
            checks.append(IssuerCheck(.noneOf(provider, [.string("anonymous")]), else: .policyNotAllowed))
        }
        if let providers = texts("sign_in_providers") {
            reportAnonymous(providers, allowsAnonymous)
            reportShortNames(providers)
            checks.append(IssuerCheck(.oneOf(provider, providers.map { .string($0) }), else: .policyNotAllowed))
        }
        if boolean("require_email_verified") {
            checks.append(
                IssuerCheck(.oneOf(ClaimPath(member: "email_verified"), [.boolean(true)]), else: .claimInvalid))
        }
        return checks
    }

    private mutating func reportAnonymous(_ providers: [String], _ allowsAnonymous: Bool) {
        guard let index = providers.firstIndex(of: "anonymous"), !allowsAnonymous else { return }
        error(
            "sign_in_providers", index: index, "`anonymous` is refused all the same",
            hint: "write `allow_anonymous: true` too")
    }

    /// Reports names of sign-in providers without `.com`: Firebase names external providers by their domain.
    private mutating func reportShortNames(_ providers: [String]) {
        let domains = ["google", "microsoft", "facebook", "apple", "github", "twitter", "yahoo"]
        for (index, name) in providers.enumerated() where domains.contains(name) {
            error(
                "sign_in_providers", index: index, "`\(name)` is not what tokens call it", hint: "write `\(name).com`")
        }
    }

    /// Reads `tenants` and returns the check of a token's tenant. Nil for `any`, which permits every user. The default
    /// is `none`. Users of the project itself have no tenant, and they are different people from those of a tenant.
    private mutating func firebaseTenants() -> IssuerCheck? {
        let path = ClaimPath(members: "firebase", "tenant")
        let tenants = texts("tenants") ?? ["none"]
        for word in ["none", "any"] where tenants.contains(word) && tenants.count > 1 {
            error("tenants", "has `\(word)` beside others", hint: "write `none`, `any` or a list of tenant ids")
        }
        if let index = tenants.firstIndex(where: { ["all", "*"].contains($0) }) {
            error(
                "tenants", index: index, "`\(tenants[index])` is not a tenant id",
                hint: "write `any` if all of them may come")
        }
        switch tenants {
        case ["none"]: return IssuerCheck(.absent([path]), else: .tenantNotAllowed)
        case ["any"]: return nil
        default: return IssuerCheck(.oneOf(path, tenants.map { .string($0) }), else: .tenantNotAllowed)
        }
    }

    /// Reads a list of claims, each a name or a JSON Pointer. Invalid claims are reported and left out. Nil if the
    /// parameter is absent or not a valid list of texts; an invalid list is reported.
    mutating func claimPaths(_ name: String) -> [ClaimPath]? {
        guard let texts = texts(name) else { return nil }
        var paths: [ClaimPath] = []
        for (index, text) in texts.enumerated() {
            do {
                paths.append(try ClaimPath(text))
            } catch {
                self.error(
                    name, index: index, "`\(text)` is no place of a claim",
                    hint: "write a claim's name, or a JSON Pointer")
            }
        }
        return paths
    }
}
