import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of Kubernetes: projected tokens of service accounts. The API server publishes the keys only to clients that
/// present a service account token.
enum KubernetesProfile: ProfileDefinition {
    static let title = "Kubernetes"
    static let parameters: [ProfileParameter] = [
        .optional(
            "issuer", .text, "the `iss` of the cluster's tokens (`--service-account-issuer`)",
            .value("https://kubernetes.default.svc.cluster.local"),
            example: "https://kubernetes.default.svc.cluster.local"),
        .optional(
            "api_server", .text, "the address of the API server", .value("https://kubernetes.default.svc"),
            example: "https://10.96.0.1"),
        .optional(
            "namespaces", .texts, "the namespaces whose pods may come", .meaning("every namespace's may"),
            example: "[shop]"),
        .optional(
            "service_accounts", .texts, "the service accounts that may come, as `namespace:name`",
            .meaning("every service account of the namespaces may come"), example: "[shop:orders]"),
    ]

    /// Folder of a pod with its credentials for the API server: the CA file and a token.
    private static let mounted = "/var/run/secrets/kubernetes.io/serviceaccount"

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let main =
            reading.isGiven("issuer") ? reading.url("issuer")?.text : "https://kubernetes.default.svc.cluster.local"
        let server =
            reading.isGiven("api_server") ? reading.url("api_server") : HTTPURL("https://kubernetes.default.svc")
        let namespaces = reading.names("namespaces", of: "/kubernetes.io/namespace")
        let accounts = reading.serviceAccounts()
        guard let main, let server else { return nil }
        guard server.target == "/" || server.target.isEmpty else {
            return reading.mistaken(
                "api_server", "`\(server.text)` has a path", hint: "write scheme, host and port alone")
        }
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: [.rs256, .es256, .es384, .es512], tokenType: .claims(kind))
        issuer.clients = accounts?.map { "system:serviceaccount:\($0)" }
        issuer.claimChecks =
            namespaces.map { [IssuerCheck(.oneOf(namespace, $0.map { .string($0) }), else: .tenantNotAllowed)] } ?? []
        issuer.subject.isRequired = true
        // A service account's name is unique only within its namespace; `sub` contains both.
        issuer.readClaims(roles: [], clients: [ClaimPath(member: "sub")], tenants: [namespace])
        issuer.refusedIdentifiers = [refusedLegacy]
        issuer.hints = hints
        let keys = "\(server.scheme.rawValue)://\(server.authority)/openid/v1/jwks"
        var profiled = issuer.profiled(keysAt: keys, showing: [])
        var keySet = KeySetConfiguration(source: .jwkSetURL(keys), issuer: main, caFile: mounted + "/ca.crt")
        keySet.credentials = KeySetCredentials(authorizationFile: mounted + "/token")
        profiled.keySets = [NamedKeySet(keySet)]
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let namespace = ClaimPath(members: "kubernetes.io", "namespace")
    private static let kind: [TokenTest] = [
        .some([namespace]), .some([ClaimPath(members: "kubernetes.io", "serviceaccount", "name")]),
    ]

    private static let refusedLegacy = RefusedIssuer(
        IssuerIdentifier("kubernetes/serviceaccount"), .issuerMismatch,
        hint: "A token from a Secret, which never expires. Mount a projected token with the audience of this API.")

    private static let hints: [IssuerHint] = [
        IssuerHint(.notAccessToken, "It names no service account, so it is not a projected token of a pod."),
        IssuerHint(
            .audienceMismatch,
            "The token is for the API server itself. Mount a projected volume whose serviceAccountToken has the audience."
        ),
        IssuerHint(.tenantNotAllowed, "The pod's namespace is not in namespaces."),
        IssuerHint(
            .clientNotAllowed, "The service account is not in service_accounts; each is written as `namespace:name`."),
    ]
}

extension ParameterReading {
    fileprivate mutating func serviceAccounts() -> [String]? {
        guard let texts = names("service_accounts", of: "sub") else { return nil }
        let isWhole = { (text: String) in
            text.split(separator: ":", omittingEmptySubsequences: false).map(\.isEmpty) == [false, false]
        }
        guard let index = texts.firstIndex(where: { !isWhole($0) }) else { return texts }
        return mistaken(
            "service_accounts", index: index, "`\(texts[index])` is not `namespace:name`",
            hint: "write both, such as `shop:orders`")
    }
}
