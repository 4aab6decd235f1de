/// One value, or one family of values, of `iss`.
public struct IssuerIdentifier: Sendable, Hashable, CustomStringConvertible {
    enum Form: Sendable, Hashable {
        case exact(String)
        /// Text before and after the tenant. The tenant itself is not empty and has no slash.
        case template(prefix: String, suffix: String)
        /// The same with the tenant in two places, the same in both.
        case twice(prefix: String, middle: String, suffix: String)
    }

    let form: Form
    /// Key set of the issuer whose keys sign its tokens.
    public var keySet: KeySetIndex = 0
    /// The tenant that tokens with this `iss` belong to; nil where another rule decides.
    public var tenant: String?
    /// The key set of the user flow that tokens with this `iss` come from; nil where only claims say.
    public var policy: KeySetIndex?

    /// A value compared byte for byte (RFC 8725 §3.8).
    public init(_ text: String) {
        form = .exact(text)
    }

    /// A family that differs in one place: the tenant. Good only together with a ``DirectoryRule``, which binds that
    /// place to the token.
    public init(template prefix: String, _ suffix: String) {
        form = .template(prefix: prefix, suffix: suffix)
    }

    /// A family that differs in two places, which both have the tenant.
    public init(template prefix: String, _ middle: String, _ suffix: String) {
        form = .twice(prefix: prefix, middle: middle, suffix: suffix)
    }

    /// The value, or the family with `{tenantid}` in the place of the tenant.
    public var description: String {
        switch form {
        case .exact(let text): text
        case .template(let prefix, let suffix): prefix + "{tenantid}" + suffix
        case .twice(let prefix, let middle, let suffix): prefix + "{tenantid}" + middle + "{tenantid}" + suffix
        }
    }

    /// The value; nil for a family.
    public var exactText: String? {
        if case .exact(let text) = form { text } else { nil }
    }

    /// Whether an `iss` is this value or one of the family. For a family, this proves nothing about the tenant.
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
        }
    }

    /// Whether an `iss` is this value, or the member of the family that belongs to the tenant.
    func matches(_ issuer: String, tenant: String) -> Bool {
        let own =
            switch form {
            case .exact(let text): text
            case .template(let prefix, let suffix): prefix + tenant + suffix
            case .twice(let prefix, let middle, let suffix): prefix + tenant + middle + tenant + suffix
            }
        return own.utf8.elementsEqual(issuer.utf8)
    }
}

/// An `iss` that is never accepted, and is known well enough to say why.
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
