/// Target of random bytes: reads them as one kind of input, and crashes the process if a property does not hold.
///
/// The fuzzers run these without end; the tests run them once over every seed and every input that ever failed.
public enum FuzzTarget: String, CaseIterable, Sendable {
    case requestHead = "request-head"
    case responseHead = "response-head"
    case chunks
    case credentials
    case token
    case json
    case keySet = "key-set"
    case publishedKey = "published-key"
    case pemKey = "pem-key"
    case ecdsa
    case path
    case pathPattern = "path-pattern"
    case claimPath = "claim-path"
    case realm
    case configuration
    case proxyHeader = "proxy-header"
    case tokenOffer = "token-offer"

    public func run(_ bytes: [UInt8]) {
        switch self {
        case .requestHead: Self.requestHead(bytes)
        case .responseHead: Self.responseHead(bytes)
        case .chunks: Self.chunks(bytes)
        case .credentials: Self.credentials(bytes)
        case .token: Self.token(bytes)
        case .json: Self.json(bytes)
        case .keySet: Self.keySet(bytes)
        case .publishedKey: Self.publishedKey(bytes)
        case .pemKey: Self.pemKey(bytes)
        case .ecdsa: Self.ecdsa(bytes)
        case .path: Self.path(bytes)
        case .pathPattern: Self.pathPattern(bytes)
        case .claimPath: Self.claimPath(bytes)
        case .realm: Self.realm(bytes)
        case .configuration: Self.configuration(bytes)
        case .proxyHeader: Self.proxyHeader(bytes)
        case .tokenOffer: Self.tokenOffer(bytes)
        }
    }

    /// Crashes the process, as a trap in the code under test would.
    public static func require(_ holds: Bool, _ property: StaticString) {
        if !holds { fatalError("\(property)") }
    }
}
