import JOSE
import KeySets
import NetworkNames
import TokenVerification

/// Profile of AWS Application Load Balancers that sign users in. The balancer signs the user's claims, and its token
/// names the balancer in the header, not an audience in the claims.
enum AWSALBProfile: ProfileDefinition {
    static let title = "AWS Application Load Balancer"
    static let tokenHeader: String? = "X-Amzn-Oidc-Data"
    static let parameters: [ProfileParameter] = [
        .required(
            "issuer", .text, "the issuer of the identity provider, as the listener's rule has it",
            example: "https://id.example.com/realms/shop"),
        .required(
            "signer", .texts, "the ARNs of the load balancers in front of this gateway, all of one region",
            example: "arn:aws:elasticloadbalancing:eu-north-1:441100223344:loadbalancer/app/shop/50dc6c495c0c9188"),
        .clients("the client ids of the listener's rules", example: "[shop-web]"),
        .optional(
            "keys_url", .text, "the URL below which each key is found by its `kid`, without a slash at its end",
            .meaning("keys come from AWS, by the region of `signer`"), example: "https://mirror.example.com/alb-keys"),
    ]

    /// Most keys that are kept. A region's load balancers use a few, and change them now and then.
    private static let mostKeys = 32
    /// Largest key in PEM, in bytes. A key on P-256 has 178.
    private static let longestKey = 16 * 1024

    static func issuer(named name: String, _ reading: inout ParameterReading) -> ProfiledIssuer? {
        let main = reading.url("issuer")?.text
        let signers = reading.loadBalancers("signer")
        let clients = reading.texts("clients")
        let mirror = reading.keysURL("keys_url")
        guard let main, let signers, let first = signers.first else { return nil }
        guard let place = mirror ?? (reading.isGiven("keys_url") ? nil : reading.keys(of: first, "signer")) else {
            return nil
        }
        var issuer = TrustedIssuer(name: name, identifier: main, algorithms: [.es256], tokenType: .any)
        issuer.signerRule = SignerRule(signers: signers.map(\.text), issuers: [main])
        issuer.padding = .accepted
        issuer.audience = .signer
        issuer.clients = clients
        issuer.subject.isRequired = true
        issuer.readClaims(roles: [], clients: [])
        issuer.hints = hints
        issuer.refuseSlashTwins()
        var keys = KeySetConfiguration(source: .singleKeys(below: place), issuer: main)
        (keys.keyLimit, keys.documentLimit) = (mostKeys, longestKey)
        var profiled = ProfiledIssuer(trusted: issuer, keySets: [NamedKeySet(keys)])
        profiled.hasAuthenticationTime = false
        profiled.hasContextClass = false
        return profiled
    }

    private static let hints: [IssuerHint] = [
        IssuerHint(
            .signerNotAllowed,
            "Another load balancer signed the token. If it is yours, add its ARN to signer; otherwise it is an attack."),
        IssuerHint(
            .issuerMismatch, "The listener signs in at another identity provider: compare its rule with issuer."),
        IssuerHint(.clientNotAllowed, "The client id in the header is not among clients: compare the listener's rule."),
        IssuerHint(
            .algorithmNotAllowed,
            "Load balancers sign with ES256. The identity provider's own token is in X-Amzn-Oidc-Accesstoken."),
    ]
}

extension ParameterReading {
    /// Reads ARNs of Application Load Balancers of one region. Nil if the parameter is absent or invalid; an invalid
    /// one is reported.
    fileprivate mutating func loadBalancers(_ name: String) -> [LoadBalancerARN]? {
        guard let texts = texts(name) else { return nil }
        var balancers: [LoadBalancerARN] = []
        for (index, text) in texts.enumerated() {
            do throws(LoadBalancerARN.Fault) {
                balancers.append(try LoadBalancerARN(text))
            } catch {
                self.error(
                    name, index: index, "`\(text)` \(error.message)",
                    hint: "copy the ARN of the load balancer, such as "
                        + "`arn:aws:elasticloadbalancing:REGION:ACCOUNT:loadbalancer/app/NAME/ID`")
            }
        }
        guard balancers.count == texts.count, let first = balancers.first else { return nil }
        if let index = balancers.firstIndex(where: { $0.region != first.region || $0.partition != first.partition }) {
            return mistaken(
                name, index: index,
                "names load balancers of two regions, `\(first.region)` and `\(balancers[index].region)`, whose keys differ",
                hint: "write an issuer for each region, for resources of its own")
        }
        return balancers
    }

    /// URL of the keys of a load balancer's region. Nil if AWS does not document it, which is reported.
    fileprivate mutating func keys(of balancer: LoadBalancerARN, _ name: String) -> String? {
        balancer.keys
            ?? mistaken(
                name, "the URL of the keys must be named for the partition `\(balancer.partition)`",
                hint: "write `keys_url: https://…`, the URL below which each key is found by its `kid`")
    }

    /// Reads a URL below which keys are. Nil if the parameter is absent or invalid; an invalid one is reported.
    fileprivate mutating func keysURL(_ name: String) -> String? {
        guard let url = url(name) else { return nil }
        guard url.target.hasSuffix("/") else { return url.text }
        return mistaken(name, "`\(url.text)` ends with a slash", hint: "write `\(url.text.dropLast())`")
    }
}
