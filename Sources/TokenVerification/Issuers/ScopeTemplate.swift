/// Template for the name that clients use to request a scope from an issuer. `{scope}` is replaced by the name that the
/// issuer's tokens contain.
///
/// Only texts for clients, for example challenges, contain these names. Decisions compare the names in tokens.
public struct ScopeTemplate: Sendable, Hashable {
    private let prefix: String
    private let suffix: String

    public static let placeholder = "{scope}"
    /// Greatest length of a template, in bytes.
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

    /// Template that puts a prefix before each scope. Nil if the prefix is empty, or has characters that scopes cannot
    /// have.
    public init?(prefix: String) {
        guard Self.isScope(prefix) else { return nil }
        self.prefix = prefix
        suffix = ""
    }

    /// The name that clients use to request a scope. A scope of OpenID Connect, and a name that this template already
    /// made, is returned unchanged.
    public func name(of scope: String) -> String {
        Self.isOfOpenIDConnect(scope) || self.scope(in: scope) != nil ? scope : prefix + scope + suffix
    }

    /// The scope in tokens that a client requests by this name. Nil if this template does not make the name, or changes
    /// no names.
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

    /// Scope for a refresh token. Clients request it on their own; no resource requires it.
    private static let offlineAccess = "offline_access"

    /// Scopes that OpenID Connect Core 1.0 defines (§3.1.2.1, §5.4, §11).
    private static let ofOpenIDConnect: Set<String> = ["openid", "profile", "email", "address", "phone", offlineAccess]

    /// True if OpenID Connect defines the scope. It has the same name at every issuer.
    public static func isOfOpenIDConnect(_ scope: String) -> Bool { ofOpenIDConnect.contains(scope) }

    /// True if a resource may ask clients to request the scope. False only for `offline_access`.
    public static func isForResources(_ scope: String) -> Bool { scope != offlineAccess }
}

/// Reason why a text is not a scope template.
public enum ScopeTemplateRejection: Error, Hashable, Sendable, CaseIterable {
    case tooLong
    case forbiddenCharacter
    case missingPlaceholder
    case repeatedPlaceholder
}
