import COpenSSL

/// The cryptographic library that this process has loaded to verify signatures.
public enum CryptographicLibrary {
    /// The library's own version text, for example `OpenSSL 3.0.19 27 Jan 2026`.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
