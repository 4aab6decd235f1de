import JOSE
import KeySets
import TokenVerification

/// Profile of Cloudflare Access: one team. Each application has an audience of its own, its AUD tag.
enum CloudflareAccessProfile: ProfileDefinition {
    static let title = "Cloudflare Access"
    static let tokenHeader: String? = "Cf-Access-Jwt-Assertion"
    static let parameters: [ProfileParameter] = [
        .required(
            "team_domain", .text, "the team's domain, such as `example.cloudflareaccess.com`",
            example: "example.cloudflareaccess.com"),
        .optional(
            "allow_service_tokens", .boolean, "`false` to refuse service tokens", .value("true"), example: "false"),
    ]

    private static let service = ClaimPath(member: "common_name")

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let team = reading.publicDomain("team_domain")
        let allowsServices = reading.boolean("allow_service_tokens", default: true)
        guard let team else { return nil }
        let main = "https://\(team)"
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256],
            tokenType: .claims([.exactly(ClaimPath(member: "type"), [.string("app")])]))
        // A service token's `sub` is empty: its client names it.
        issuer.subject.ignoresEmpty = true
        issuer.claimChecks = allowsServices ? [] : [IssuerCheck(.absent([service]), else: .clientNotAllowed)]
        issuer.readClaims(roles: [], clients: [service])
        issuer.refusedIdentifiers = [
            RefusedIssuer(
                IssuerIdentifier(template: "https://", ".cloudflareaccess.com"), .issuerMismatch,
                hint: "A token of another team. Compare team_domain.")
        ]
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: main + "/cdn-cgi/access/certs", showing: [])
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .audienceMismatch,
            "The token is for another Access application: write this one's Application Audience (AUD) tag into audiences."
        ),
        IssuerHint(
            .notAccessToken, "Not the token of an application: send the Cf-Access-Jwt-Assertion that Access adds."),
        IssuerHint(.clientNotAllowed, "A service token, and allow_service_tokens is false."),
    ]
}
