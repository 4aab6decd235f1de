import TokenVerification

/// One entry of a deny list: tokens of an issuer that have this value, until a time.
public struct DenyEntry: Sendable, Hashable {
    /// The operator's name for the issuer.
    public let issuer: String
    public let attribute: DeniedAttribute
    public let value: String
    /// Denies only tokens that were issued before this time, and tokens without `iat`. In whole seconds. Nil if all
    /// tokens are denied.
    public var issuedBefore: NumericDate?
    /// From when on it denies nothing. In whole seconds.
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

    /// In bytes; a value that is longer is none that a token could have.
    public static let longestValue = 8192
    /// Lifetime of an entry without `expires`, if the issuer has no `max_lifetime`.
    public static let usualLifetime = Duration.seconds(90 * 86_400)

    /// Whether both are about the same tokens, apart from when they were issued.
    public func isAbout(_ other: DenyEntry) -> Bool {
        issuer.utf8.elementsEqual(other.issuer.utf8) && attribute == other.attribute
            && value.utf8.elementsEqual(other.value.utf8)
    }
}

/// The issuers of a configuration, by name, as far as entries need them.
public struct DenyIssuers: Sendable, Hashable {
    private let lifetimes: [String: Duration]

    /// - Parameter issuers: with the longest lifetime of their tokens, where there is one, and the leeway.
    public init(_ issuers: some Sequence<TrustedIssuer>) {
        let pairs = issuers.map { ($0.name, $0.longestUse(ofTokensFor: DenyEntry.usualLifetime)) }
        lifetimes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    private init(lifetimes: [String: Duration]) {
        self.lifetimes = lifetimes
    }

    /// These issuers, and former ones that are no longer in the file but still have entries.
    public func adding(former names: some Sequence<String>) -> DenyIssuers {
        let former = names.map { ($0, DenyEntry.usualLifetime) }
        return DenyIssuers(lifetimes: lifetimes.merging(former, uniquingKeysWith: { present, _ in present }))
    }

    public var names: [String] { lifetimes.keys.sorted() }

    /// Lifetime of an entry without `expires` about the issuer. Nil if there is no such issuer. Names are compared byte
    /// by byte.
    public func lifetime(of issuer: String) -> Duration? {
        guard let index = lifetimes.index(forKey: issuer), lifetimes[index].key.utf8.elementsEqual(issuer.utf8) else {
            return nil
        }
        return lifetimes[index].value
    }
}
