import JOSE
import KeySets
import TokenVerification

/// Profile of GitHub Actions: the ID token of one job. Any job of any GitHub user can get a token for any audience, so
/// `owners` (of the repositories) is required.
enum GitHubActionsProfile: ProfileDefinition {
    static let title = "GitHub Actions"
    static let parameters: [ProfileParameter] = [
        .required(
            "owners", .texts, "the owners of the repositories whose jobs may come (`repository_owner`)",
            example: "[kaasik]"),
        .optional(
            "owner_ids", .texts,
            "the IDs of those owners (`repository_owner_id`): unlike a name, an ID is never assigned to another owner",
            .meaning("the names decide"), example: "[\"4417700\"]"),
        .optional(
            "repositories", .texts, "the repositories whose jobs may come, as `owner/name`",
            .meaning("every repository of the owners may"),
            example: "[kaasik/shop]"),
        .optional(
            "enterprise", .text, "the enterprise's name where its tokens have an `iss` of its own",
            .meaning("they have GitHub's"),
            example: "kaasik-oy"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let owners = reading.names("owners", of: "repository_owner")
        let numbers = reading.numbers("owner_ids")
        let repositories = reading.repositories("repositories")
        let enterprise = reading.word("enterprise", hint: "write the name as it stands at the end of `iss`")
        guard let owners else { return nil }
        let main = enterprise.map { "\(origin)/\($0)" } ?? origin
        var issuer = TrustedIssuer(name: name, identifier: main, algorithms: [.rs256], tokenType: .claims(kind))
        issuer.clients = repositories
        issuer.claimChecks =
            [IssuerCheck(.oneOf(owner, owners.map { .string($0) }), else: .tenantNotAllowed)]
            + (numbers.map { [IssuerCheck(.oneOf(ownerNumber, $0.map { .string($0) }), else: .tenantNotAllowed)] } ?? [])
        issuer.subject.isRequired = true
        issuer.readClaims(roles: [], clients: [repository], tenants: [owner])
        issuer.refusedIdentifiers = (enterprise == nil ? [] : [refusedPublic]) + [refusedEnterprise]
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: main + "/.well-known/jwks", showing: displayClaims)
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let origin = "https://token.actions.githubusercontent.com"
    private static let owner = ClaimPath(member: "repository_owner")
    private static let ownerNumber = ClaimPath(member: "repository_owner_id")
    private static let repository = ClaimPath(member: "repository")
    /// Claims that users choose: the author of a pull request chooses the names of its branch and workflow.
    private static let displayClaims: Set<String> = ["actor", "head_ref", "workflow"]
    private static let kind: [TokenTest] = [.some([repository]), .some([ClaimPath(member: "run_id")])]

    private static let refusedPublic = RefusedIssuer(
        IssuerIdentifier(origin), .issuerMismatch,
        hint:
            "A token with GitHub's own iss, and the file names an enterprise. Leave enterprise out, or give its tokens an iss of their own."
    )

    private static let refusedEnterprise = RefusedIssuer(
        IssuerIdentifier(template: origin + "/", ""), .issuerMismatch,
        hint: "A token of an enterprise with an iss of its own. If it is yours, write its name as enterprise.")

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .opaqueNotSupported,
            "Not the job's ID token. Give the job `permissions: id-token: write`, and ask for the token by URL."),
        IssuerHint(.notAccessToken, "It has no repository or no run_id, so it is not a job's token."),
        IssuerHint(
            .audienceMismatch,
            "Ask for the token with &audience= and the audience in its URL; without it aud is the owner's address."),
        IssuerHint(.tenantNotAllowed, "The job is of a repository whose owner is not in owners or owner_ids."),
        IssuerHint(.clientNotAllowed, "The job is of a repository that is not in repositories."),
    ]
}

extension ParameterReading {
    /// Reads a list of decimal numbers, as texts. Nil if the parameter is absent or invalid; an invalid one is
    /// reported.
    fileprivate mutating func numbers(_ name: String) -> [String]? {
        guard let texts = texts(name) else { return nil }
        let isNumber = { (text: String) in text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        }
        guard let index = texts.firstIndex(where: { !isNumber($0) }) else { return texts }
        return mistaken(name, index: index, "`\(texts[index])` is not a number", hint: "write names into `owners`")
    }

    /// Reads a list of repository names in the form `owner/name`. Nil if the parameter is absent or invalid; an invalid
    /// one is reported.
    fileprivate mutating func repositories(_ name: String) -> [String]? {
        guard let texts = names(name, of: "repository") else { return nil }
        let isWhole = { (text: String) in
            text.split(separator: "/", omittingEmptySubsequences: false).map(\.isEmpty) == [false, false]
        }
        guard let index = texts.firstIndex(where: { !isWhole($0) }) else { return texts }
        return mistaken(
            name, index: index, "`\(texts[index])` is not `owner/name`",
            hint: "write it as `repository` in the token has it")
    }
}
