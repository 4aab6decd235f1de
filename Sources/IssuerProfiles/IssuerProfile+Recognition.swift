import NetworkNames
import TokenVerification

extension IssuerProfile {
    /// Recognizes the profile by an issuer's URL, and reads the parameters that the URL contains.
    ///
    /// Nil if no profile is recognized. It only helps to start a configuration file (`bearward init`); no token is
    /// judged by it.
    public static func recognized(issuer text: String) -> (profile: IssuerProfile, parameters: [String: String])? {
        guard let url = HTTPURL(text) else { return nil }
        let segments = url.target.split(separator: "/").map(String.init)
        return ofMicrosoft(url, segments) ?? ofDomain(url, segments) ?? ofPath(url, segments)
    }

    private static func ofMicrosoft(_ url: HTTPURL, _ segments: [String]) -> (IssuerProfile, [String: String])? {
        let tenant = segments.first.flatMap { DirectoryRule.isGUID($0) ? $0 : nil }
        if url.host.hasSuffix(".ciamlogin.com") { return (.entraExternal, given("tenant_id", tenant)) }
        if url.host.hasSuffix(".b2clogin.com") {
            let name = String(url.host.prefix { $0 != "." })
            return (.azureB2C, given("tenant_id", tenant).merging(["tenant_name": name]) { first, _ in first })
        }
        // The issuer in version 1.0 tokens.
        if url.host == "sts.windows.net" {
            return (.entraID, given("tenant", tenant).merging(["versions": "1"]) { first, _ in first })
        }
        return url.host == "login.microsoftonline.com" ? (.entraID, given("tenant", tenant)) : nil
    }

    private static func ofDomain(_ url: HTTPURL, _ segments: [String]) -> (IssuerProfile, [String: String])? {
        if url.host == "securetoken.google.com" { return (.firebase, given("project_id", segments.first)) }
        if url.host == "accounts.google.com" { return (.google, [:]) }
        if url.host == "token.actions.githubusercontent.com" {
            return (.gitHubActions, given("enterprise", segments.first))
        }
        if url.host == "gitlab.com", segments.isEmpty { return (.gitLabCI, [:]) }
        if url.host == "kubernetes.default.svc.cluster.local" { return (.kubernetes, [:]) }
        if url.host.hasPrefix("cognito-idp."), url.host.hasSuffix(".amazonaws.com") {
            return (.cognito, given("user_pool_id", segments.first))
        }
        if url.host.hasSuffix(".auth0.com") { return (.auth0, ["domain": url.authority]) }
        if url.host.hasSuffix(".projects.oryapis.com") { return (.hydra, ["issuer": url.text]) }
        if url.host.hasSuffix(".clerk.accounts.dev") {
            return (.clerk, ["frontend_api": "\(url.scheme.rawValue)://\(url.authority)"])
        }
        if url.host.hasSuffix(".zitadel.cloud") { return (.zitadel, ["domain": url.authority]) }
        let isOkta = url.host.hasSuffix(".okta.com") || url.host.hasSuffix(".oktapreview.com")
        return isOkta && segments.first == "oauth2" ? (.okta, ["issuer": url.text]) : nil
    }

    private static func ofPath(_ url: HTTPURL, _ segments: [String]) -> (IssuerProfile, [String: String])? {
        if url.host.hasSuffix(".logto.app"), segments == ["oidc"] {
            return (.logto, ["endpoint": "\(url.scheme.rawValue)://\(url.authority)"])
        }
        if segments.dropLast().last == "realms" { return (.keycloak, ["realm_url": url.text]) }
        guard segments.count == 3, segments.starts(with: ["application", "o"]) else { return nil }
        return (.authentik, ["host": url.authority, "application_slug": segments[2]])
    }

    private static func given(_ name: String, _ value: String?) -> [String: String] {
        value.map { [name: $0] } ?? [:]
    }
}
