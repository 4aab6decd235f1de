import NIOCore
import NIOSSL
import ProxySettings

extension TLSConfiguration {
    /// Applies the settings shared by listeners and upstream connections.
    mutating func harden(_ floor: TLSFloor, offering protocols: [String]) {
        minimumTLSVersion = floor == .tls12 ? .tlsv12 : .tlsv13
        // For TLS 1.2, only AEAD cipher suites with forward secrecy (RFC 9325 §4.2). HTTP/2 forbids the others (RFC
        // 9113 §9.2.2).
        cipherSuiteValues = [
            .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
            .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
        ]
        renegotiationSupport = .none
        applicationProtocols = protocols
        shutdownTimeout = .seconds(1)
    }
}
