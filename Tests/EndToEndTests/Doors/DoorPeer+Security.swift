import Foundation
import TestSupport

extension DoorPeer {
    /// Changes to the configuration with which the proxy asks over TLS and shows its certificate. HAProxy's script
    /// cannot show a certificate.
    func securing(by authority: CertificateAuthority, as identity: CertificateAuthority.Identity?) -> [String: String] {
        let anchor = authority.anchor.path
        let (certificate, key) = (identity?.certificate.path ?? "", identity?.key.path ?? "")
        switch self {
        case .caddy:
            let shown = identity == nil ? "" : "tls_client_auth \(certificate) \(key)\n"
            return [
                "forward_auth ": "forward_auth https://",
                "dial_timeout 2s": "dial_timeout 2s\ntls_server_name localhost\n\(shown)tls_trust_pool file \(anchor)",
            ]
        case .traefik:
            let shown = identity == nil ? "" : ", cert: \(certificate), key: \(key)"
            return [
                "address: http://127.0.0.1": "address: https://localhost",
                "trustForwardHeader: false": "trustForwardHeader: false\n        tls: {ca: \(anchor)\(shown)}",
            ]
        case .envoy, .envoyGRPC:
            let shown =
                identity == nil
                ? ""
                : "tls_certificates: [{certificate_chain: {filename: \(certificate)}, private_key: {filename: \(key)}}], "
            let context = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext"
            let terms =
                "sni: localhost, common_tls_context: {\(shown)validation_context: {trusted_ca: {filename: \(anchor)}}}"
            let socket = "{name: envoy.transport_sockets.tls, typed_config: {\"@type\": \(context), \(terms)}}"
            return ["- name: bearward\n": "- name: bearward\n      transport_socket: \(socket)\n"]
        case .nginx, .currentNginx:
            let shown = identity == nil ? "" : "proxy_ssl_certificate \(certificate); proxy_ssl_certificate_key \(key);"
            let verified = "proxy_ssl_verify on; proxy_ssl_trusted_certificate \(anchor); proxy_ssl_name localhost;"
            return ["proxy_pass http://bearward;": "proxy_pass https://bearward; \(verified) \(shown)"]
        case .haproxy: return [:]
        }
    }
}
