/// The clouds that Microsoft runs apart from one another, each with hosts of its own.
enum EntraCloud: String, Sendable, CaseIterable {
    case `public`
    case usGovernment = "us-government"
    case china

    /// Host of the sign-in pages; also the host of version 2.0's issuers.
    var signInHost: String {
        switch self {
        case .public: "login.microsoftonline.com"
        case .usGovernment: "login.microsoftonline.us"
        case .china: "login.partner.microsoftonline.cn"
        }
    }

    /// The host of version 1.0's issuers.
    var tokenServiceHost: String {
        switch self {
        case .public, .usGovernment: "sts.windows.net"
        case .china: "sts.chinacloudapi.cn"
        }
    }
}
