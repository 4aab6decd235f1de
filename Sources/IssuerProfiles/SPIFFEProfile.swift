import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of SPIFFE: JWT-SVIDs of the workloads of one trust domain, as SPIRE issues them. `iss` is optional in the
/// standard but required here, because the issuer is found by it.
enum SPIFFEProfile: ProfileDefinition {
    static let title = "SPIFFE"
    static let parameters: [ProfileParameter] = [
        .required("trust_domain", .text, "the trust domain, as its SPIFFE IDs have it", example: "prod.example.com"),
        .required(
            "issuer", .text, "the `iss` of its tokens (`jwt_issuer` of the SPIRE server)",
            example: "https://oidc.prod.example.com"),
        .optional(
            "workloads", .texts, "the SPIFFE IDs whose workloads may come",
            .meaning("every workload of the trust domain may"),
            example: "[\"spiffe://prod.example.com/ns/shop/sa/checkout\"]"),
    ]

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let domain = reading.trustDomain("trust_domain")
        let main = reading.url("issuer")?.text
        let workloads = reading.names("workloads", of: "sub")
        guard let domain, let main else { return nil }
        let below = "spiffe://\(domain)"
        if let workloads, let index = workloads.firstIndex(where: { !ClaimTest.isPath($0, below: below) }) {
            reading.error(
                "workloads", index: index, "`\(workloads[index])` is not a SPIFFE ID of `\(domain)`",
                hint: "write it as `sub` has it, such as `\(below)/checkout`")
        }
        var issuer = TrustedIssuer(
            name: name, identifier: main, algorithms: algorithms, tokenType: .claims([.pathBelow(subject, "spiffe:/")]))
        issuer.clients = workloads
        issuer.claimChecks = [IssuerCheck(.pathBelow(subject, below), else: .tenantNotAllowed)]
        issuer.subject.isRequired = true
        issuer.scopeClaims = []
        issuer.roleClaims = []
        issuer.clientClaims = [subject]
        issuer.organizationClaims = []
        issuer.hints =
            [
                IssuerHint(
                    .tenantNotAllowed, if: .oneOf(subject, [.string(below)]),
                    "Its sub is the trust domain itself, which is no workload.")
            ]
            + hints
        issuer.refuseSlashTwins()
        var keySet = KeySetConfiguration(source: .discovery(issuer: main), issuer: main)
        keySet.keyUse = .signaturesAndJWTSVIDs
        var profiled = ProfiledIssuer(trusted: issuer, keySets: [NamedKeySet(keySet)])
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let subject = ClaimPath(member: "sub")
    /// Algorithms that the standard permits (JWT-SVID §2.1).
    private static let algorithms: SignatureAlgorithmSet = [
        .rs256, .rs384, .rs512, .es256, .es384, .es512, .ps256, .ps384, .ps512,
    ]

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .issuerMismatch, if: .absent([ClaimPath(member: "iss")]),
            "The JWT-SVID has no iss. Set `jwt_issuer` in the SPIRE server's configuration, and write the same as issuer."
        ),
        IssuerHint(.notAccessToken, "Its sub is not a SPIFFE ID of a workload, so it is not a JWT-SVID."),
        IssuerHint(
            .audienceMismatch,
            "The workload has to ask the Workload API for a JWT-SVID with the audience of this resource."),
        IssuerHint(
            .tenantNotAllowed, "The SPIFFE ID is of another trust domain. A federated one is an issuer of its own."),
        IssuerHint(.clientNotAllowed, "The SPIFFE ID is not in workloads."),
    ]
}

extension ParameterReading {
    /// Reads the name of a trust domain and checks its characters and length (SPIFFE-ID §2.1). Nil if the parameter is
    /// absent or invalid; an invalid one is reported.
    fileprivate mutating func trustDomain(_ name: String) -> String? {
        guard let text = text(name) else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
            default: false
            }
        }
        guard isName, text.utf8.count <= 255 else {
            return mistaken(
                name, "`\(text)` is not a trust domain",
                hint:
                    "write what stands between `spiffe://` and the next slash: lower-case letters, digits, `.`, `-` and `_`"
            )
        }
        return text
    }
}
