extension ParameterReading {
    /// Reads `versions`; version 2 comes first. Only version 2 if the parameter is absent.
    mutating func entraVersions() -> [EntraVersion] {
        guard let texts = texts("versions") else { return [.two] }
        for (index, text) in texts.enumerated() where !EntraVersion.allCases.contains(where: { $0.number == text }) {
            error("versions", index: index, "`\(text)` is not a version", hint: "write `[2]`, `[1]` or `[1, 2]`")
        }
        return EntraVersion.allCases.filter { texts.contains($0.number) }
    }

    mutating func entraExtent() -> EntraTenancy.Extent? {
        let tenant = text("tenant")
        let allowed = guids("allowed_tenants", hint: EntraFamily.guidHint)
        let any = boolean("any_tenant")
        guard let tenant else { return nil }
        switch tenant {
        case "common", "organizations": return many(tenant, allowed, any)
        case "consumers": return single(EntraTenancy.consumers)
        default:
            return guid(tenant, "tenant", hint: EntraFamily.guidHint + ", or `organizations`").flatMap { single($0) }
        }
    }

    private mutating func single(_ tenant: String) -> EntraTenancy.Extent? {
        for name in ["allowed_tenants", "any_tenant"] where isGiven(name) {
            error(name, "cannot be used with a single tenant", hint: "leave it out, or write `tenant: organizations`")
        }
        return .single(tenant)
    }

    private mutating func many(_ word: String, _ allowed: [String]?, _ any: Bool) -> EntraTenancy.Extent? {
        if isGiven("allowed_tenants"), any {
            return mistaken("any_tenant", "contradicts `allowed_tenants`", hint: "keep one of the two")
        }
        if any {
            warning(
                "any_tenant", "accepts users of every tenant in the world",
                hint: "name the tenants in `allowed_tenants`")
            return .many(word, allowed: nil)
        }
        guard isGiven("allowed_tenants") else {
            return mistaken(
                "tenant", "`\(word)` stands for every tenant in the world",
                hint: "add `allowed_tenants`, or `any_tenant: true`")
        }
        if word == "organizations", let index = allowed?.firstIndex(of: EntraTenancy.consumers) {
            warning(
                "allowed_tenants", index: index, "is the tenant of personal accounts, whose keys `organizations` lacks",
                hint: "write `tenant: common`")
        }
        return allowed.map { .many(word, allowed: Set($0)) }
    }
}
