/// Microsoft's separate clouds, each with its own hosts.
enum EntraCloud: String, Sendable, CaseIterable {
    case `public`
    case usGovernment = "us-government"
    case china

    /// Host of the sign-in pages, and of `iss` in version 2.0 tokens.
    var signInHost: String {
        switch self {
        case .public: "login.microsoftonline.com"
        case .usGovernment: "login.microsoftonline.us"
        case .china: "login.partner.microsoftonline.cn"
        }
    }

    /// Host of `iss` in version 1.0 tokens.
    var tokenServiceHost: String {
        switch self {
        case .public, .usGovernment: "sts.windows.net"
        case .china: "sts.chinacloudapi.cn"
        }
    }
}
