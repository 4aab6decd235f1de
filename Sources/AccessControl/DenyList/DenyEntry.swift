import TokenVerification

/// An entry of a deny list. It denies the tokens of an issuer that have a value, until it expires.
public struct DenyEntry: Sendable, Hashable {
    /// Name of the issuer in the configuration file.
    public let issuer: String
    public let attribute: DeniedAttribute
    public let value: String
    /// Denies only tokens that were issued before this time, and tokens without `iat`. A whole number of seconds. Nil
    /// if all tokens are denied.
    public var issuedBefore: NumericDate?
    /// Time from which the entry denies nothing. A whole number of seconds.
    public var expires: NumericDate

    public init(
        issuer: String, _ attribute: DeniedAttribute, _ value: String, issuedBefore: NumericDate? = nil,
        expires: NumericDate
    ) {
        self.issuer = issuer
        self.attribute = attribute
        self.value = value
        self.issuedBefore = issuedBefore
        self.expires = expires
    }

    /// Maximum size of `value` in bytes. No token can have a longer one.
    public static let longestValue = 8192
    /// Lifetime of an entry without `expires`, if the issuer has no `max_lifetime`.
    public static let usualLifetime = Duration.seconds(90 * 86_400)

    /// Whether both entries are about the same tokens, whenever those were issued.
    public func isAbout(_ other: DenyEntry) -> Bool {
        issuer.utf8.elementsEqual(other.issuer.utf8) && attribute == other.attribute
            && value.utf8.elementsEqual(other.value.utf8)
    }
}

/// The issuers that entries can name, with the default lifetime of an entry for each.
public struct DenyIssuers: Sendable, Hashable {
    private let lifetimes: [String: Duration]

    /// Takes the issuers of a configuration. The lifetime of an entry is the longest time that a token of the issuer
    /// can be accepted, or the default.
    public init(_ issuers: some Sequence<TrustedIssuer>) {
        let pairs = issuers.map { ($0.name, $0.longestUse(ofTokensFor: DenyEntry.usualLifetime)) }
        lifetimes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private init(lifetimes: [String: Duration]) {
        self.lifetimes = lifetimes
    }

    /// Returns these issuers and former ones, which are no longer in the file but still have entries.
    public func adding(former names: some Sequence<String>) -> DenyIssuers {
        let former = names.map { ($0, DenyEntry.usualLifetime) }
        return DenyIssuers(lifetimes: lifetimes.merging(former, uniquingKeysWith: { present, _ in present }))
    }

    public var names: [String] { lifetimes.keys.sorted() }

    /// Lifetime of an entry without `expires`. Nil if there is no such issuer. Names are compared byte by byte.
    public func lifetime(of issuer: String) -> Duration? {
        guard let index = lifetimes.index(forKey: issuer), lifetimes[index].key.utf8.elementsEqual(issuer.utf8) else {
            return nil
        }
        return lifetimes[index].value
    }
}
