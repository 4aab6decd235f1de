import COpenSSL

/// The library that verifies signatures, as this process has loaded it.
public enum CryptographicLibrary {
    /// Its own words, such as `OpenSSL 3.0.19 27 Jan 2026`.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
