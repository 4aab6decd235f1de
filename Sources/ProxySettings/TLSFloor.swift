/// The oldest version of TLS that is spoken; nothing below 1.2 ever is (RFC 8996).
public enum TLSFloor: String, Sendable, Hashable, CaseIterable {
    case tls12 = "1.2"
    case tls13 = "1.3"
}
