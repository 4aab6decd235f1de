import NetworkNames

/// Audiences that never mean the operator's own API. A token with this audience was issued for another API; to accept
/// it would admit everyone who can get a token there.
enum ForeignAudience {
    static let graphIdentifiers = [
        "00000003-0000-0000-c000-000000000000", "https://graph.microsoft.com", "https://graph.microsoft.com/",
        "https://graph.microsoft.us",
        "https://graph.microsoft.us/", "https://microsoftgraph.chinacloudapi.cn",
        "https://microsoftgraph.chinacloudapi.cn/",
    ]

    static func problem(_ audience: String) -> ProfileProblem? {
        switch audience {
        case "account":
            return refused(
                "`account` is Keycloak's own client", "add an audience mapper for this API and write its client id")
        case "urn:logto:resource:organizations":
            return refused(
                "`\(audience)` is requested by clients but never occurs as the audience of a token",
                "write the API's resource indicator"
            )
        case _ where graphIdentifiers.contains(audience.lowercased()):
            return refused("`\(audience)` is Microsoft Graph", "write this API's own application (client) id")
        default: return address(audience)
        }
    }

    private static func address(_ audience: String) -> ProfileProblem? {
        guard let url = HTTPURL(audience) else { return nil }
        let path = url.target.prefix { $0 != "?" }
        if path.hasSuffix("/userinfo") || path.hasSuffix("/userinfo/") {
            return refused(
                "`\(audience)` is the identity system's own userinfo endpoint",
                "write the identifier under which this API is registered")
        }
        guard url.host.hasSuffix(".logto.app"), path == "/api" || path == "/api/" else { return nil }
        return refused("`\(audience)` is Logto's Management API", "write the resource indicator of this API")
    }

    private static func refused(_ message: String, _ hint: String) -> ProfileProblem {
        ProfileProblem(.error, nil, message, hint: hint)
    }
}
