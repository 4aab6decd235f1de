import TokenVerification

/// The addresses of a B2C tenant, and the values of `iss` that follow from them.
struct B2CIssuers: Sendable {
    /// Form of `iss`: with `tfp` it contains the name of the policy.
    enum Style: String, Sendable, CaseIterable {
        case `default`
        case tfp
    }

    let tenantName: String
    let tenant: String
    let domains: [String]
    let style: Style
    let policies: [String]

    /// Authority of a user flow, the base URL that client libraries (MSAL) are configured with.
    func authority(_ policy: String) -> String { "https://\(mainDomain)/\(tenantName).onmicrosoft.com/\(policy)/v2.0" }

    func keySetURL(_ policy: String) -> String {
        "https://\(mainDomain)/\(tenantName).onmicrosoft.com/\(policy)/discovery/v2.0/keys"
    }

    private var mainDomain: String { domains.first ?? "\(tenantName).b2clogin.com" }

    var accepted: [IssuerIdentifier] { domains.flatMap { identifiers(at: $0, style) } }

    /// Accepted values of `iss` at one host. A policy is accepted as written and in lower case, since tokens have both.
    private func identifiers(at domain: String, _ style: Style) -> [IssuerIdentifier] {
        guard style == .tfp else { return [IssuerIdentifier("https://\(domain)/\(tenant)/v2.0/")] }
        return policies.enumerated().flatMap { index, policy in
            let lowered = policy.lowercased()
            return (lowered == policy ? [policy] : [policy, lowered]).map { spelling in
                var identifier = IssuerIdentifier("https://\(domain)/tfp/\(tenant)/\(spelling)/v2.0/")
                identifier.policy = KeySetIndex(index)
                return identifier
            }
        }
    }

    /// Values of `iss` that are refused with a hint, because tenant or app are set up differently from the file.
    var refused: [RefusedIssuer] { otherStyle + otherHosts + entra }

    private var otherStyle: [RefusedIssuer] {
        domains.map { domain in
            switch style {
            case .default:
                RefusedIssuer(
                    IssuerIdentifier(template: "https://\(domain)/tfp/\(tenant)/", "/v2.0/"), .issuerMismatch,
                    hint:
                        "The user flow puts its name into iss (TFP compatibility). Write issuer_style: tfp, or change the flow."
                )
            case .tfp:
                RefusedIssuer(
                    IssuerIdentifier("https://\(domain)/\(tenant)/v2.0/"), .issuerMismatch,
                    hint:
                        "The user flow does not put its name into iss. Write issuer_style: default, or change the flow."
                )
            }
        }
    }

    /// Values of `iss` at hosts that are not in `domains`. During a move to another host, old and new versions of an
    /// app sign in at different hosts for months.
    private var otherHosts: [RefusedIssuer] {
        ["\(tenantName).b2clogin.com", "login.microsoftonline.com"].filter { !domains.contains($0) }.map { domain in
            RefusedIssuer(
                IssuerIdentifier("https://\(domain)/\(tenant)/v2.0/"), .issuerMismatch,
                hint: "The app signs in at \(domain). Add it to domains for as long as such apps are in use.")
        }
    }

    /// Values of `iss` in tokens of the directory itself, which were issued without a user flow.
    private var entra: [RefusedIssuer] {
        ["https://login.microsoftonline.com/\(tenant)/v2.0", "https://sts.windows.net/\(tenant)/"].map { issuer in
            RefusedIssuer(
                IssuerIdentifier(issuer), .issuerMismatch,
                hint:
                    "The app signed in at the directory itself, not through a user flow. Set the app's authority to that of a flow."
            )
        }
    }
}

extension ParameterReading {
    /// Reads `policies`, the names of the user flows, as written. Two names that differ only in case are an error. Nil
    /// if the parameter is absent or invalid; an invalid one is reported.
    mutating func b2cPolicies() -> [String]? {
        guard let policies = words("policies", hint: "write the name of a user flow, such as `B2C_1_susi`") else {
            return nil
        }
        return areDistinct(policies.map { $0.lowercased() }, "policies") ? policies : nil
    }
}
