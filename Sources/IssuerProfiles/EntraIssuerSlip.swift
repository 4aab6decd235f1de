import NetworkNames
import TokenVerification

/// Mistake in a plain issuer (without a profile) at a host of Entra ID: no token has this `iss`.
///
/// Tokens have the ID of their tenant in the path. The written issuer has a name there, or a word as in the metadata
/// for many tenants (`common`).
public struct EntraIssuerSlip: Sendable, Hashable {
    private let segment: String
    private let cloud: EntraCloud

    /// Returns nil if the text may be the issuer of tokens.
    public init?(issuer text: String) {
        guard let url = HTTPURL(text), let segment = url.target.split(separator: "/").first.map(String.init),
            !DirectoryRule.isGUID(segment),
            let cloud = EntraCloud.allCases.first(where: { [$0.signInHost, $0.tokenServiceHost].contains(url.host) })
        else { return nil }
        self.segment = segment
        self.cloud = cloud
    }

    /// Description of the mistake, as the rest of a sentence about the value.
    public var message: String {
        "no token has this `iss`: tokens of Entra ID have the id of their tenant in place of `\(segment)`"
    }

    /// Advice on what to write instead.
    public var hint: String {
        switch segment {
        case "common", "organizations":
            "write `profile: entra-id` with `tenant: \(segment)`, and name the tenants in `allowed_tenants`"
        case "consumers": "write `profile: entra-id` with `tenant: consumers`"
        default: "write `profile: entra-id` with the id of the tenant, a GUID"
        }
    }

    /// Values of `iss` that tokens have instead. They are rejected anyway; listed here, the rejection states the cause.
    public var refusedIdentifiers: [RefusedIssuer] {
        let tenancy = EntraTenancy(cloud: cloud, extent: .many(segment, allowed: nil))
        return EntraVersion.allCases.map { version in
            RefusedIssuer(
                tenancy.family(version), .issuerMismatch,
                hint:
                    "The token's iss has the id of a tenant where the file's issuer has `\(segment)`, which no token has: \(hint)."
            )
        }
    }
}
