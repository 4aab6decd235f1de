/// Value of `iss`, or a family of values that differ only in the tenant.
public struct IssuerIdentifier: Sendable, Hashable, CustomStringConvertible {
    enum Form: Sendable, Hashable {
        case exact(String)
        /// Text before and after the tenant. The tenant itself is not empty and has no slash.
        case template(prefix: String, suffix: String)
        /// Text before, between and after two occurrences of the tenant, which must be the same.
        case twice(prefix: String, middle: String, suffix: String)
        /// The realms of a pattern.
        case realms(RealmPattern)
    }

    let form: Form
    /// Key set with the keys of tokens with this `iss`.
    public var keySet: KeySetIndex = 0
    /// The tenant of tokens with this `iss`. Nil if another rule determines the tenant.
    public var tenant: String?
    /// The key set of the user flow that tokens with this `iss` come from. Nil if only claims name the flow.
    public var policy: KeySetIndex?

    /// A single value, compared byte for byte (RFC 8725 §3.8).
    public init(_ text: String) {
        form = .exact(text)
    }

    /// A family of values that contain the tenant once. Use it only with a ``DirectoryRule``, which compares that
    /// tenant with the token's.
    public init(template prefix: String, _ suffix: String) {
        form = .template(prefix: prefix, suffix: suffix)
    }

    /// A family of values that contain the tenant twice.
    public init(template prefix: String, _ middle: String, _ suffix: String) {
        form = .twice(prefix: prefix, middle: middle, suffix: suffix)
    }

    /// The `iss` values of all realms that a pattern accepts.
    public init(_ realms: RealmPattern) {
        form = .realms(realms)
    }

    /// The value. For a family, the value with `{tenantid}` instead of the tenant, or `{realm}` instead of the realm.
    public var description: String {
        switch form {
        case .exact(let text): text
        case .template(let prefix, let suffix): prefix + "{tenantid}" + suffix
        case .twice(let prefix, let middle, let suffix): prefix + "{tenantid}" + middle + "{tenantid}" + suffix
        case .realms(let pattern): pattern.description
        }
    }

    /// A value of the family for this tenant. For realms, that of an example; nil if there is none.
    public func example(tenant: String) -> String? {
        switch form {
        case .exact(let text): text
        case .template(let prefix, let suffix): prefix + tenant + suffix
        case .twice(let prefix, let middle, let suffix): prefix + tenant + middle + tenant + suffix
        case .realms(let pattern): pattern.exampleNames.first.map(pattern.issuer)
        }
    }

    /// A value that both match. Nil if there is none. Families of tenants are compared by their text.
    public func common(with other: IssuerIdentifier) -> String? {
        if case .realms(let own) = form, case .realms(let others) = other.form { return own.common(with: others) }
        if description.utf8.elementsEqual(other.description.utf8) { return description }
        if let exactText { return other.matches(exactText) ? exactText : nil }
        return other.exactText.flatMap { matches($0) ? $0 : nil }
    }

    /// True for a family of values that differ in the tenant. The realms of a pattern are no such family.
    public var isFamilyOfTenants: Bool {
        switch form {
        case .exact, .realms: false
        case .template, .twice: true
        }
    }

    /// The value. Nil for a family.
    public var exactText: String? {
        if case .exact(let text) = form { text } else { nil }
    }

    /// True if an `iss` is this value or a member of the family. For a family, this proves nothing about the tenant.
    public func matches(_ issuer: String) -> Bool {
        switch form {
        case .exact(let text): return text.utf8.elementsEqual(issuer.utf8)
        case .template(let prefix, let suffix):
            let bytes = issuer.utf8
            guard bytes.count > prefix.utf8.count + suffix.utf8.count, bytes.starts(with: prefix.utf8) else {
                return false
            }
            guard bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) else { return false }
            return !bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count).contains(UInt8(ascii: "/"))
        case .twice(let prefix, let middle, let suffix):
            let twoTenants = issuer.utf8.count - prefix.utf8.count - middle.utf8.count - suffix.utf8.count
            guard twoTenants > 0, issuer.utf8.starts(with: prefix.utf8) else { return false }
            guard let tenant = String(issuer.utf8.dropFirst(prefix.utf8.count).prefix(twoTenants / 2)) else {
                return false
            }
            return !tenant.utf8.contains(UInt8(ascii: "/"))
                && (prefix + tenant + middle + tenant + suffix).utf8.elementsEqual(issuer.utf8)
        case .realms(let pattern): return pattern.realm(of: issuer) != nil
        }
    }

    /// True if an `iss` is this value, or the member of the family that belongs to the tenant.
    func matches(_ issuer: String, tenant: String) -> Bool {
        if case .realms = form { return matches(issuer) }
        return example(tenant: tenant)?.utf8.elementsEqual(issuer.utf8) ?? false
    }
}

/// An `iss` that is never accepted, with the reason and advice for the operator.
public struct RefusedIssuer: Sendable, Hashable {
    public let identifier: IssuerIdentifier
    public let rejection: TokenRejection
    /// Advice for the operator.
    public let hint: String

    public init(_ identifier: IssuerIdentifier, _ rejection: TokenRejection, hint: String) {
        self.identifier = identifier
        self.rejection = rejection
        self.hint = hint
    }
}
