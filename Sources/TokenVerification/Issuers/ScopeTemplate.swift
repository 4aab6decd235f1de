/// The text by which clients ask an issuer for a scope, with `{scope}` where the name stands that its tokens have.
///
/// It is for what clients are told: decisions compare the names in tokens.
public struct ScopeTemplate: Sendable, Hashable {
    private let prefix: String
    private let suffix: String

    public static let placeholder = "{scope}"
    /// In bytes.
    public static let longest = 256

    /// - Parameter text: characters of scopes (RFC 6749 §3.3) with exactly one `{scope}`.
    public init(_ text: String) throws(ScopeTemplateRejection) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        guard Self.isScope(text) else { throw .forbiddenCharacter }
        guard let place = text.firstRange(of: Self.placeholder) else { throw .missingPlaceholder }
        let rest = text[place.upperBound...]
        guard rest.firstRange(of: Self.placeholder) == nil else { throw .repeatedPlaceholder }
        prefix = String(text[..<place.lowerBound])
        suffix = String(rest)
    }

    /// A text that stands before each scope; nil if none can begin with it.
    public init?(prefix: String) {
        guard Self.isScope(prefix) else { return nil }
        self.prefix = prefix
        suffix = ""
    }

    /// The name by which clients ask for a scope of tokens. Those of OpenID Connect have one name alone, and what is
    /// such a name stays.
    public func name(of scope: String) -> String {
        Self.isOfOpenIDConnect(scope) || self.scope(in: scope) != nil ? scope : prefix + scope + suffix
    }

    /// The scope of tokens that a name asks for. Nil if it is not made by this template, or if names and scopes are the
    /// same.
    public func scope(in name: String) -> String? {
        let bytes = name.utf8
        let added = prefix.utf8.count + suffix.utf8.count
        guard added > 0, bytes.count > added, bytes.starts(with: prefix.utf8),
            bytes.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
        else { return nil }
        return String(bytes.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count))
    }

    private static func isScope(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    // MARK: OpenID Connect's own scopes

    /// A refresh token, for which a client asks by itself: no resource needs it.
    private static let offlineAccess = "offline_access"

    /// OpenID Connect Core 1.0 §3.1.2.1, §5.4, §11.
    private static let ofOpenIDConnect: Set<String> = ["openid", "profile", "email", "address", "phone", offlineAccess]

    /// Whether a scope is about signing in, and the same at every issuer.
    public static func isOfOpenIDConnect(_ scope: String) -> Bool { ofOpenIDConnect.contains(scope) }

    /// Whether a resource has clients ask for a scope.
    public static func isForResources(_ scope: String) -> Bool { scope != offlineAccess }
}

/// Reason why a text is not a template for scopes.
public enum ScopeTemplateRejection: Error, Hashable, Sendable, CaseIterable {
    case tooLong
    case forbiddenCharacter
    case missingPlaceholder
    case repeatedPlaceholder
}
