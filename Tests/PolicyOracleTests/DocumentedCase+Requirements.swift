import PolicyOracle

extension DocumentedCase {
    /// "When a requirement holds", "Patterns" and "Claims that must be absent or have other values": one claim against
    /// one part.
    static let requirements: [DocumentedCase] =
        [
            part(.allOf(["a", "b"]), "scope", holds: [.text("b a"), .text("x a b"), .texts(["a", "b"])]),
            part(
                .allOf(["a", "b"]), "scope",
                fails: [.text("a"), .text("A b"), .text("ab"), .texts(["a b"]), .integer(7), .object([:])],
                .insufficientScope),
            part(.anyOf([.scope("a"), .scope("b")]), "scope", holds: [.text("b"), .texts(["b"])]),
            part(
                .anyOf([.scope("a"), .scope("b")]), "scope", fails: [.text("c"), .texts(["a b"])], .insufficientScope),
            part(.text(["orders:*"]), "scope", holds: [.text("orders:*")]),
            part(.text(["orders:*"]), "scope", fails: [.text("orders:read")], .insufficientScope),
            part(.roles(["admin", "owner"]), "roles", holds: [.text("admin"), .texts(["x", "owner"])]),
            part(
                .roles(["admin", "owner"]), "roles", fails: [.text("admin owner"), .texts(["Admin"]), .object([:])],
                .roleRequired),
            claim("dep", [.text("sales"), .text("support")], holds: [.text("sales"), .texts(["x", "sales"])]),
            claim(
                "dep", [.text("sales"), .text("support")],
                fails: [.text("sales support"), .text("Sales"), .array([]), .array([.texts(["sales"])])]),
            claim("level", [.integer(3)], holds: [.integer(3), .number("3.0"), .array([.integer(1), .integer(3)])]),
            claim("level", [.integer(3)], fails: [.text("3"), .boolean(true), .integer(4)]),
            claim("ok", [.boolean(true)], holds: [.boolean(true), .array([.boolean(true)])]),
            claim("ok", [.boolean(true)], fails: [.text("true"), .integer(1), .boolean(false)]),
            claim("realm.level", [.text("gold")], at: "realm", holds: [.object(["level": .text("gold")])]),
            claim(
                "realm.level", [.text("gold")], at: "realm", fails: [.array([.object(["level": .text("gold")])])]),
            claim("realm.level", [.text("gold")], fails: [.text("gold")]),
            part(.clients(["back-office"]), "azp", holds: [.text("back-office")]),
            part(.clients(["back-office"]), "azp", fails: [.texts(["back-office"])], .clientRequired),
            part(.acr(["gold", "platinum"]), "acr", holds: [.text("gold"), .texts(["x", "platinum"])]),
            part(.acr(["gold", "platinum"]), "acr", fails: [.text("silver"), .integer(7)], .authenticationTooWeak),
            part(.maxAge(600), "auth_time", holds: [600, 660, -60].map { .integer(PolicyGenerator.now - $0) }),
            part(
                .maxAge(600), "auth_time",
                fails: [.integer(PolicyGenerator.now - 661), .integer(PolicyGenerator.now + 61), .text("0"), .null],
                .authenticationTooOld),
            pattern(
                "acme/*", holds: ["acme/site"], fails: ["acme/", "acme/a/b", "acme/a:b", "xacme/site", "Acme/site"]),
            pattern("acme/**", holds: ["acme/site", "acme/a/b:c"], fails: ["acme/", "acme"]),
            pattern(
                "repo:acme/*:ref:refs/heads/**", holds: ["repo:acme/site:ref:refs/heads/fix/7"],
                fails: ["repo:acme/site:environment:x:ref:refs/heads/main"]),
            pattern(
                "*@example.com", holds: ["ona@example.com"], fails: ["ona@example.com.evil", "@example.com"]),
            part(
                isNoGuest, "type", holds: [.text("member"), .texts(["member", "staff"]), .text("Guest"), .array([])]),
            part(
                isNoGuest, "type",
                fails: [
                    .text("guest"), .texts(["member", "guest"]), .integer(7), .boolean(true), .object([:]),
                    .array([.text("member"), .integer(7)]), .null,
                ], .claimRequired),
            part(.absent([ClaimPath("type")]), "type", holds: [.null]),
            part(
                .absent([ClaimPath("type")]), "type", fails: [.text("guest"), .array([]), .object([:])],
                .claimRequired),
            part(.absent([ClaimPath("act.sub")]), "act", fails: [.array([]), .text("x")], .claimRequired),
            part(.absent([ClaimPath("act.sub")]), "act.sub", fails: [.text("x")], .claimRequired),
            part(.absent([ClaimPath("act.sub.id")]), "act.sub", fails: [.object(["id": .text("x")])], .claimRequired),
        ].flatMap { $0 }

    private static let isNoGuest = Part.not([ClaimDemand("type", [.text("guest")])])

    private static func part(_ part: Part, _ claim: String, holds values: [JSON]) -> [DocumentedCase] {
        values.map { row(part, claim, $0, forwarded) }
    }

    private static func part(_ part: Part, _ claim: String, fails values: [JSON], _ reason: Reason) -> [DocumentedCase]
    {
        values.map { row(part, claim, $0, refused(reason)) }
    }

    private static func claim(
        _ path: String, _ values: [ClaimDemand.Value], at claim: String? = nil, holds: [JSON] = [], fails: [JSON] = []
    ) -> [DocumentedCase] {
        let demand = Part.claims([ClaimDemand(path, values)])
        return part(demand, claim ?? path, holds: holds) + part(demand, claim ?? path, fails: fails, .claimRequired)
    }

    private static func pattern(_ text: String, holds: [String], fails: [String]) -> [DocumentedCase] {
        claim("repo", [.pattern(ClaimPattern(text))], holds: holds.map(JSON.text), fails: fails.map(JSON.text))
    }

    private static func row(_ part: Part, _ claim: String, _ value: JSON, _ answer: Answer) -> DocumentedCase {
        DocumentedCase(
            table: "requirement", policy: policy([part]), request: Request("GET", "/x", token([claim: value])),
            answer: answer)
    }

    /// "Alternatives" and `organization` from the path.
    static let combinations: [DocumentedCase] = {
        let refunds = policy([
            Part.anyOf([
                .mapping([.allOf(["refunds:write"]), .maxAge(600)]), .mapping([.roles(["supervisor"])]),
                .mapping([.clients(["batch"]), .claims([ClaimDemand("tier", [.text("gold")])])]),
            ])
        ])
        let organizations = policy([
            Rule("GET /o/{name}", .needing(.mapping([.organizationInPath("name")]))),
            Rule("GET /acme", .needing(.mapping([.organization(["acme"])]))),
        ])
        var opaque = organizations
        opaque.resources[0].encodedSlashes = .opaque
        // The parts of an issuer's `require` are judged each in its row, or together if the resource has another
        // issuer.
        var alone = policy([.claims([ClaimDemand("dep", [.text("sales")])])])
        alone.issuers[0].require = [.organization(["acme"]), .acr(["gold"])]
        var besideAnother = alone
        besideAnother.issuers.append(Issuer("partner", "https://partner.example", .any))
        besideAnother.resources[0].issuers.append("partner")
        let now = PolicyGenerator.now
        let rows: [(Policy, String, [String: JSON], Answer)] = [
            (refunds, "/x", ["scope": .text("refunds:write"), "auth_time": .integer(now - 300)], forwarded),
            (refunds, "/x", ["roles": .text("supervisor")], forwarded),
            (refunds, "/x", ["tier": .text("gold"), "client_id": .text("batch")], forwarded),
            (refunds, "/x", ["tier": .text("gold"), "client_id": .text("web")], refused(.insufficientScope)),
            (
                refunds, "/x", ["scope": .text("refunds:write"), "auth_time": .integer(now - 3600)],
                refused(.authenticationTooOld)
            ),
            (organizations, "/acme", ["organization_id": .text("acme")], forwarded),
            (organizations, "/acme", ["organization_id": .texts(["acme"])], refused(.organizationMismatch)),
            (organizations, "/o/acme", ["organization_id": .text("acme")], forwarded),
            (organizations, "/o/Acme", ["organization_id": .text("acme")], refused(.organizationMismatch)),
            (organizations, "/o/other", ["organization_id": .text("acme")], refused(.organizationMismatch)),
            (opaque, "/o/acme%2Fa", ["organization_id": .text("acme%2Fa")], refused(.organizationMismatch)),
            (alone, "/x", ["dep": .text("x"), "acr": .text("gold")], refused(.organizationMismatch)),
            (besideAnother, "/x", ["dep": .text("x"), "acr": .text("gold")], refused(.claimRequired)),
            (besideAnother, "/x", ["dep": .text("sales"), "acr": .text("x")], refused(.organizationMismatch)),
        ]
        return rows.map { policy, path, claims, answer in
            DocumentedCase(
                table: "combination", policy: policy, request: Request("GET", path, token(claims)), answer: answer)
        }
    }()
}
