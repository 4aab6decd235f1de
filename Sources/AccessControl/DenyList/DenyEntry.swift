import TokenVerification

/// An entry of a deny list. It denies the tokens of an issuer that have a value, until it expires.
public struct DenyEntry: Sendable, Hashable {
    /// Name of the issuer in the configuration file. For an issuer with realms, the `iss` of the realm.
    public let issuer: String
    public let attribute: DeniedAttribute
    public let value: String
    /// Denies only tokens that were issued before this time, and tokens without `iat`. A whole number of seconds. Nil
    /// if all tokens are denied.
    public var issuedBefore: NumericDate?
    /// Time from which the entry denies nothing. A whole number of seconds.
    public var expires: NumericDate
    /// Text of the operator about the entry, such as the number of a ticket. It changes nothing about tokens. Nil if
    /// there is none.
    public var note: String?

    public init(
        issuer: String, _ attribute: DeniedAttribute, _ value: String, issuedBefore: NumericDate? = nil,
        expires: NumericDate, note: String? = nil
    ) {
        self.issuer = issuer
        self.attribute = attribute
        self.value = value
        self.issuedBefore = issuedBefore
        self.expires = expires
        self.note = note
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
    private struct Realms: Sendable, Hashable {
        let name: String
        let pattern: RealmPattern
        let lifetime: Duration
    }

    private let lifetimes: [String: Duration]
    /// Issuers with realms. Entries name a realm by its `iss`, so that an entry never denies tokens of another realm.
    private let realms: [Realms]

    /// Takes the issuers of a configuration. The lifetime of an entry is the longest time that a token of the issuer
    /// can be accepted, or the default.
    public init(_ issuers: some Sequence<TrustedIssuer>) {
        let all = issuers.map { ($0.name, $0.realms, $0.longestUse(ofTokensFor: DenyEntry.usualLifetime)) }
        let pairs = all.filter { $0.1 == nil }.map { ($0.0, $0.2) }
        lifetimes = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        realms = all.compactMap { name, pattern, lifetime in
            pattern.map { Realms(name: name, pattern: $0, lifetime: lifetime) }
        }
    }

    private init(lifetimes: [String: Duration], realms: [Realms]) {
        self.lifetimes = lifetimes
        self.realms = realms
    }

    /// Returns these issuers and former ones, which are no longer in the file but still have entries.
    public func adding(former names: some Sequence<String>) -> DenyIssuers {
        let former = names.map { ($0, DenyEntry.usualLifetime) }
        return DenyIssuers(
            lifetimes: lifetimes.merging(former, uniquingKeysWith: { present, _ in present }), realms: realms)
    }

    /// Names for messages: each issuer's name, or the pattern of its realms.
    public var names: [String] { lifetimes.keys.sorted() + realms.map(\.pattern.description) }

    /// Pattern of the realms of the issuer with this name in the file. Nil for other issuers.
    func realms(of name: String) -> RealmPattern? {
        realms.first { $0.name.utf8.elementsEqual(name.utf8) }?.pattern
    }

    /// Lifetime of an entry without `expires`. Nil if there is no such issuer. Names are compared byte by byte.
    public func lifetime(of issuer: String) -> Duration? {
        guard let index = lifetimes.index(forKey: issuer), lifetimes[index].key.utf8.elementsEqual(issuer.utf8) else {
            return realms.first { $0.pattern.realm(of: issuer) != nil }?.lifetime
        }
        return lifetimes[index].value
    }
}
