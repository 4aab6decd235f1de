import NIOCore
import NIOSSL

extension NIOSSLCertificate {
    /// DNS names in the certificate's subject alternative names, in lower case.
    var dnsNames: [String] {
        _subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { name in
            String(decoding: Array(name.contents), as: UTF8.self).lowercased()
        }
    }

    /// DNS names (in lower case) and IP addresses in the subject alternative names. Other kinds are left out.
    public var hostNames: [String] {
        dnsNames
            + _subjectAlternativeNames().filter { $0.nameType == .ipAddress }.compactMap { name in
                try? SocketAddress(packedIPAddress: ByteBuffer(bytes: Array(name.contents)), port: 0).ipAddress
            }
    }
}
