/// Configuration of introspection at one issuer (RFC 7662).
public struct IntrospectionConfiguration: Sendable, Hashable {
    /// The bytes of a token beyond which it is not asked about. Opaque tokens of all known systems are far shorter, and
    /// what is longer may be refused by something before the issuer, to which we would look like an attacker.
    public static let longestToken = 4 * 1024

    /// Name of the issuer in logs.
    public var issuer: String
    public var endpoint: IntrospectionEndpoint
    /// Our client identifier at the issuer (RFC 6749 §2.2).
    public var clientID: String
    /// The file that holds the client's secret, and nothing else but at most one newline at its end.
    public var clientSecretFile: String
    /// File of trust anchors in PEM that replace the system's. Nil if the system's apply.
    public var caFile: String?
    /// Permits plain http to addresses that are not loopback.
    public var allowsPlainHTTP: Bool

    /// The longest time that an answer is used again: a revoked token is accepted for at most this long.
    public var cacheLimit = Self.usualCacheLimit
    /// The longest time that "not active" is used again, so that a flood with one bad token does not reach the issuer.
    /// Shorter, because a token may have been presented before the issuer's replicas knew it.
    public var inactiveCacheLimit: Duration = .seconds(10)
    /// The time one question may take in all: addresses, connection, TLS, answer.
    public var deadline: Duration = .seconds(5)
    /// The answers about active tokens that are kept; beyond, the oldest is dropped.
    public var cachedAnswers = 10_000
    /// The answers about tokens that are not active. A bound of their own: made-up tokens must not push out answers
    /// about good ones.
    public var cachedInactiveAnswers = 1_000
    /// The bytes of JSON text that the kept answers of one kind may have in all.
    public var cachedBytes = 16 * 1024 * 1024
    /// The requests that may wait for answers at one time; those of one client, if it is alone, for half as many.
    public var waitingLimit = 1024
    /// The questions that may be under way at one time; those of one client, if it is alone, half as many.
    public var concurrentRequests = 64
    /// The bytes of an answer beyond which nothing is read.
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
