/// Header fields of the page, its style and its script.
public enum ConsolePolicy {
    /// The page loads nothing from elsewhere, runs no inline script, sends no form, is in no frame, and makes no markup
    /// of texts (Content Security Policy Level 3, Trusted Types).
    public static let contentSecurity = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "img-src 'self'",
        "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ].joined(separator: "; ")

    /// Names and values.
    public static let fields = [
        ("Content-Security-Policy", contentSecurity),
        ("X-Content-Type-Options", "nosniff"),
        ("Cache-Control", "no-store"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
    ]
}
