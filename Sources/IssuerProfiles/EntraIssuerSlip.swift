import NetworkNames
import TokenVerification

/// An issuer at a host of Entra ID, written as a plain one, that is the `iss` of no token: where tokens have the id of
/// their tenant it has a word, as the metadata for many tenants has (`common`), or a name.
public struct EntraIssuerSlip: Sendable, Hashable {
    private let segment: String
    private let cloud: EntraCloud

    /// Nil if the text may be the issuer of tokens.
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

    /// Values that tokens have instead, rejected as before and with the cause.
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
