/// Configuration of introspection at one issuer (RFC 7662).
public struct IntrospectionConfiguration: Sendable, Hashable {
    /// Longest token that the issuer is asked about, in bytes. Opaque tokens of all known systems are far shorter. A
    /// firewall in front of the issuer may reject longer ones, and take us for an attacker.
    public static let longestToken = 4 * 1024

    /// Name of the issuer in logs.
    public var issuer: String
    public var endpoint: IntrospectionEndpoint
    /// Our client identifier at the issuer (RFC 6749 §2.2).
    public var clientID: String
    /// File that contains only the client's secret, with at most one newline at its end.
    public var clientSecretFile: String
    /// File of trust anchors in PEM that replace the system's. Nil if the system's apply.
    public var caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public var allowsPlainHTTP: Bool

    /// Longest time for which an answer is cached. A revoked token is accepted for at most this long.
    public var cacheLimit = Self.usualCacheLimit
    /// Longest time for which the answer "not active" is cached, so that a flood with one invalid token does not reach
    /// the issuer. It is shorter, because a token may be used before all of the issuer's replicas know it.
    public var inactiveCacheLimit: Duration = .seconds(10)
    /// Longest time for a whole question: addresses, connection, TLS, answer.
    public var deadline: Duration = .seconds(5)
    /// Largest number of cached answers about active tokens. The oldest is dropped first.
    public var cachedAnswers = 10_000
    /// Largest number of cached answers about tokens that are not active. A separate limit, so that invented tokens
    /// cannot push out answers about active ones.
    public var cachedInactiveAnswers = 1_000
    /// Largest total size of the cached answers of one kind, in bytes of JSON text.
    public var cachedBytes = 16 * 1024 * 1024
    /// Largest number of requests that may wait for answers at the same time. A single client gets half of them.
    public var waitingLimit = 1024
    /// Largest number of questions that may be under way at the same time. A single client gets half of them.
    public var concurrentRequests = 64
    /// Largest answer, in bytes.
    public var responseLimit = 64 * 1024

    public static let usualCacheLimit = Duration.seconds(60)

    public init(
        issuer: String,
        endpoint: IntrospectionEndpoint,
        clientID: String,
        clientSecretFile: String,
        caFile: String? = nil,
        allowsPlainHTTP: Bool = false,
    ) {
        self.issuer = issuer
        self.endpoint = endpoint
        self.clientID = clientID
        self.clientSecretFile = clientSecretFile
        self.caFile = caFile
        self.allowsPlainHTTP = allowsPlainHTTP
    }
}
