import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of GitLab CI/CD: the ID token of one job. The same issuer also signs the ID tokens of sign-ins, which have
/// no `job_id`.
enum GitLabCIProfile: ProfileDefinition {
    static let title = "GitLab CI/CD"
    static let parameters: [ProfileParameter] = [
        .optional(
            "url", .text, "the address of the instance", .value("https://gitlab.com"),
            example: "https://gitlab.example.com"),
        .required(
            "namespaces", .texts,
            "the groups and users whose projects' jobs may come (`namespace_path`); list each subgroup separately",
            example: "[kaasik, kaasik/backend]"),
        .optional(
            "projects", .texts, "the projects whose jobs may come, with their namespace (`project_path`)",
            .meaning("every project of the namespaces may"), example: "[kaasik/shop]"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let url = reading.isGiven("url") ? reading.url("url")?.text : "https://gitlab.com"
        let namespaces = reading.names("namespaces", of: "namespace_path")
        let projects = reading.names("projects", of: "project_path")
        if let index = projects?.firstIndex(where: { !$0.contains("/") }), let projects {
            reading.error(
                "projects", index: index, "`\(projects[index])` has no namespace",
                hint: "write it as `project_path` in the token has it")
        }
        guard let url, let namespaces else { return nil }
        guard !url.hasSuffix("/") else {
            return reading.mistaken("url", "`\(url)` ends with a slash", hint: "write `\(url.dropLast())`")
        }
        var issuer = TrustedIssuer(name: name, identifier: url, algorithms: [.rs256], tokenType: .claims(kind))
        issuer.clients = projects
        issuer.claimChecks = [IssuerCheck(.oneOf(namespace, namespaces.map { .string($0) }), else: .tenantNotAllowed)]
        issuer.subject.isRequired = true
        issuer.readClaims(roles: [], clients: [project], tenants: [namespace])
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: url + "/oauth/discovery/keys", showing: displayClaims)
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let namespace = ClaimPath(member: "namespace_path")
    private static let project = ClaimPath(member: "project_path")
    private static let displayClaims: Set<String> = ["user_login", "user_email"]
    private static let kind: [TokenTest] = [.some([project]), .some([ClaimPath(member: "job_id")])]

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported, "CI_JOB_TOKEN is opaque and for GitLab alone. Send a token of the job's `id_tokens`."),
        IssuerHint(
            .notAccessToken,
            "It has no job_id, so it is the ID token of a sign-in. Send a token of the job's `id_tokens`."),
        IssuerHint(.audienceMismatch, "Write the audience of the resource into `aud` of the job's `id_tokens`."),
        IssuerHint(
            .tenantNotAllowed,
            "The job is of a project whose namespace is not in namespaces; a subgroup is a namespace of its own."),
        IssuerHint(.clientNotAllowed, "The job is of a project that is not in projects."),
    ]
}
