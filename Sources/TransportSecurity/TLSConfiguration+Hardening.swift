import NIOCore
import NIOSSL
import ProxySettings

extension TLSConfiguration {
    /// Sets what both sides of the gateway have in common.
    mutating func harden(_ floor: TLSFloor, offering protocols: [String]) {
        minimumTLSVersion = floor == .tls12 ? .tlsv12 : .tlsv13
        // Of TLS 1.2 only what gives forward secrecy and authenticates its records (RFC 9325 §4.2); HTTP/2 forbids the
        // rest (RFC 9113 §9.2.2).
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
