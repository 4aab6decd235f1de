import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Keycloak: one realm. The claim `typ` states the kind of token; roles are in nested objects.
enum KeycloakProfile: ProfileDefinition {
    static let title = "Keycloak"
    static let answersIntrospection = true
    static let mayOmitAudience = true
    static let mayHaveRealms = true
    static let parameters: [ProfileParameter] = [
        .required(
            "realm_url", .text,
            "the realm's address, such as `https://id.example.com/realms/shop`, or `…/realms/{realm}` for each of `realms`",
            example: "https://id.example.com/realms/shop"),
        .extraIssuers("`iss` at the server's other host names", example: "https://login.example.com/realms/shop"),
        .optional("realm_roles", .boolean, "`true` to read the realm's roles", .value("false"), example: "true"),
        .optional(
            "client_roles", .texts, "the clients whose roles are read", .meaning("no client's roles are read"),
            example: "[shop-api]"),
        .clients("the ids of the clients that may use the API", example: "[web-app]"),
    ]

    private static let displayClaims: Set<String> = [
        "name", "given_name", "family_name", "preferred_username", "email",
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let realm = reading.keycloakRealm()
        let others = reading.extraIssuers()
        if let realm, realm.contains(RealmPattern.placeholder), !others.isEmpty {
            reading.error(
                "extra_issuers", "it cannot be said for several realms",
                hint: "leave it out: the tokens of a realm have its own address as `iss`")
        }
        let realmRoles = reading.boolean("realm_roles")
        let clientRoles = reading.texts("client_roles") ?? []
        let clients = reading.texts("clients")
        guard let realm else { return nil }
        var issuer = TrustedIssuer(
            name: name, identifiers: ([realm] + others).map { IssuerIdentifier($0) },
            algorithms: [.rs256, .es256, .ps256],
            tokenType: .claims([.exactly(ClaimPath(member: "typ"), [.string("Bearer")])]))
        issuer.clients = clients
        issuer.readClaims(
            scopes: [ClaimPath(member: "scope")], roles: roleClaims(realmRoles, clientRoles),
            clients: [ClaimPath(member: "azp")])
        issuer.hints = hints
        var profiled = issuer.profiled(keysAt: realm + "/protocol/openid-connect/certs", showing: displayClaims)
        profiled.roleHint = "write `realm_roles: true` or `client_roles: [<client>]` on the issuer"
        return profiled
    }

    private static func roleClaims(_ realmRoles: Bool, _ clientRoles: [String]) -> [RoleClaim] {
        (realmRoles ? [RoleClaim(ClaimPath(members: "realm_access", "roles"))] : [])
            + clientRoles.map { RoleClaim(ClaimPath(members: "resource_access", $0, "roles")) }
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .audienceMismatch,
            if: .oneOf(ClaimPath(member: "typ"), ["ID", "Refresh", "Offline", "Logout"].map { .string($0) }),
            "An ID, refresh or logout token: typ is not Bearer. Send the access token."),
        IssuerHint(
            .audienceMismatch,
            """
            Keycloak does not put an API into aud by itself: add an audience mapper for this API's client id to a client scope that the \
            app asks for.
            """),
        IssuerHint(
            .notAccessToken, if: .oneOf(ClaimPath(member: "typ"), [.string("DPoP")]),
            "The token is bound to its holder (DPoP). Switch that off for the client."),
        IssuerHint(.notAccessToken, "An ID, refresh or logout token: typ is not Bearer. Send the access token."),
        IssuerHint(
            .boundToken, "The token is bound to its holder (DPoP or mutual TLS). Switch that off for the client."),
        IssuerHint(.clientNotAllowed, "The client (azp) is not among clients."),
    ]
}

extension ParameterReading {
    fileprivate mutating func keycloakRealm() -> String? {
        guard let written = text("realm_url") else { return nil }
        // The file says which realms the pattern means; its address is judged as that of any realm.
        if written.hasSuffix("/realms/" + RealmPattern.placeholder) {
            let example = written.dropLast(RealmPattern.placeholder.count) + "realm"
            guard let url = url(String(example), "realm_url") else { return nil }
            return isWithoutDefaultPort(url, "realm_url") ? written : nil
        }
        guard let url = url("realm_url") else { return nil }
        guard let realms = url.target.firstRange(of: "/realms/") else {
            return mistaken(
                "realm_url", "`\(url.text)` names no realm",
                hint: "write `\(url.text.withoutFinalSlash)/realms/<realm>`")
        }
        let realm = url.target[realms.upperBound...]
        guard !realm.hasSuffix("/") else {
            return mistaken(
                "realm_url", "`\(url.text)` ends with a slash", hint: "write `\(url.text.withoutFinalSlash)`")
        }
        guard !realm.isEmpty, !realm.contains("/") else {
            let root = url.text.prefix(url.text.count - realm.count)
            return mistaken("realm_url", "`\(url.text)` is not the realm itself", hint: "write `\(root)<realm>`")
        }
        return url.text
    }
}

extension String {
    fileprivate var withoutFinalSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
