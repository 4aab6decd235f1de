/// Oldest TLS version that is accepted. Versions below 1.2 never are (RFC 8996).
public enum TLSFloor: String, Sendable, Hashable, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
