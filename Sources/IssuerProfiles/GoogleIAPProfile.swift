import JOSE
import KeySets
import TokenVerification

/// Profile of Google Cloud's Identity-Aware Proxy, which signs the identity of each request it lets through. The same
/// keys sign for all projects, so only the audience binds a token to this API.
enum GoogleIAPProfile: ProfileDefinition {
    static let title = "Google Identity-Aware Proxy"
    static let tokenHeader: String? = "X-Goog-IAP-JWT-Assertion"
    static let namesClients = false
    static let parameters: [ProfileParameter] = [
        .optional(
            "hosted_domain", .texts, "the Workspace domain whose users may come",
            .meaning("everybody whom the proxy lets through may"), example: "example.com")
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let domains = reading.domains("hosted_domain")
        var issuer = TrustedIssuer(
            name: name, identifier: "https://cloud.google.com/iap", algorithms: [.es256], tokenType: .any)
        issuer.claimChecks = domainCheck(domains)
        issuer.subject.isRequired = true
        // Ten minutes, and thirty seconds at each end (Google's own rule).
        issuer.maxLifetime = .seconds(660)
        issuer.readClaims(roles: [], clients: [], tenants: [ClaimPath(member: "hd")])
        issuer.refusedIdentifiers = ["https://accounts.google.com", "accounts.google.com"].map {
            RefusedIssuer(
                IssuerIdentifier($0), .issuerMismatch,
                hint: "Google's ID token. Expected is the proxy's own, from X-Goog-IAP-JWT-Assertion.")
        }
        issuer.hints = hints
        var profiled = issuer.profiled(
            keysAt: "https://www.gstatic.com/iap/verify/public_key-jwk", showing: [])
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    static func problem(withAudience audience: String, of issuer: TrustedIssuer?) -> ProfileProblem? {
        let parts = audience.split(separator: "/", omittingEmptySubsequences: false)
        let isNumber = parts.dropFirst(2).first?.utf8.allSatisfy { (0x30...0x39).contains($0) } ?? false
        guard !audience.hasPrefix("/projects/") || parts.count < 5 || parts.dropFirst().contains("") || !isNumber else {
            return nil
        }
        return ProfileProblem(
            .error, nil, "`\(audience)` is no audience of the proxy",
            hint:
                "write `/projects/NUMBER/global/backendServices/ID`, or `/projects/NUMBER/apps/PROJECT` for App Engine, "
                + "with the project's number")
    }

    private static func domainCheck(_ domains: [String]?) -> [IssuerCheck] {
        guard let domains else { return [] }
        return [IssuerCheck(.oneOf(ClaimPath(member: "hd"), domains.map { .string($0) }), else: .tenantNotAllowed)]
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .audienceMismatch,
            "The token is for another backend service: copy the audience from the service's menu, Get JWT audience code."
        ),
        IssuerHint(
            .tenantNotAllowed, "The user is not of a domain in hosted_domain; personal accounts have no hd at all."),
    ]
}
