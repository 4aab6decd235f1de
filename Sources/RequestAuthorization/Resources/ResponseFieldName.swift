import HTTPMessages

/// Names of the response fields that a file may set or remove: the closed list.
///
/// None of them frames a message, carries a session or a challenge, or belongs to one connection.
public enum ResponseFieldName: Hashable, Sendable, CaseIterable {
    // What browsers may do with the response
    case strictTransportSecurity
    case contentSecurityPolicy
    case contentSecurityPolicyReportOnly
    case xContentTypeOptions
    case xFrameOptions
    case xXSSProtection
    case referrerPolicy
    case permissionsPolicy
    case crossOriginOpenerPolicy
    case crossOriginEmbedderPolicy
    case crossOriginResourcePolicy
    case originAgentCluster
    case reportingEndpoints
    case xPermittedCrossDomainPolicies
    case xDNSPrefetchControl
    case xDownloadOptions
    case xRobotsTag
    // What clients and caches should know
    case cacheControl
    case deprecation
    case sunset
    // What made the response
    case server
    case xPoweredBy
    case xAspNetVersion
    case xAspNetMvcVersion
    case xGenerator
    case xRuntime
    case xServedBy
    case xBackendServer

    public var name: StaticString {
        switch self {
        case .strictTransportSecurity: "Strict-Transport-Security"
        case .contentSecurityPolicy: "Content-Security-Policy"
        case .contentSecurityPolicyReportOnly: "Content-Security-Policy-Report-Only"
        case .xContentTypeOptions: "X-Content-Type-Options"
        case .xFrameOptions: "X-Frame-Options"
        case .xXSSProtection: "X-XSS-Protection"
        case .referrerPolicy: "Referrer-Policy"
        case .permissionsPolicy: "Permissions-Policy"
        case .crossOriginOpenerPolicy: "Cross-Origin-Opener-Policy"
        case .crossOriginEmbedderPolicy: "Cross-Origin-Embedder-Policy"
        case .crossOriginResourcePolicy: "Cross-Origin-Resource-Policy"
        case .originAgentCluster: "Origin-Agent-Cluster"
        case .reportingEndpoints: "Reporting-Endpoints"
        case .xPermittedCrossDomainPolicies: "X-Permitted-Cross-Domain-Policies"
        case .xDNSPrefetchControl: "X-DNS-Prefetch-Control"
        case .xDownloadOptions: "X-Download-Options"
        case .xRobotsTag: "X-Robots-Tag"
        case .cacheControl: "Cache-Control"
        case .deprecation: "Deprecation"
        case .sunset: "Sunset"
        case .server: "Server"
        case .xPoweredBy: "X-Powered-By"
        case .xAspNetVersion: "X-AspNet-Version"
        case .xAspNetMvcVersion: "X-AspNetMvc-Version"
        case .xGenerator: "X-Generator"
        case .xRuntime: "X-Runtime"
        case .xServedBy: "X-Served-By"
        case .xBackendServer: "X-Backend-Server"
        }
    }

    /// The name as text.
    public var text: String { "\(name)" }

    /// True if the gateway's own answers get the field too. They have a `Cache-Control` of their own, so that no cache
    /// keeps a refusal.
    public var isForOwnAnswers: Bool { self != .cacheControl }

    /// Finds a name, ignoring case. Nil if it is not in the list.
    public init?(_ text: String) {
        guard let found = Self.named[text.lowercased()] else { return nil }
        self = found
    }

    private static let named = Dictionary(
        allCases.map { ($0.text.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
}
