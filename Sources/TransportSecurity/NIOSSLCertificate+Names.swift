import NIOCore
import NIOSSL

extension NIOSSLCertificate {
    /// The DNS names that the certificate is for, in lower case.
    var dnsNames: [String] {
        _subjectAlternativeNames().filter { $0.nameType == .dnsName }.map { name in
            String(decoding: Array(name.contents), as: UTF8.self).lowercased()
        }
    }

    /// The DNS names in lower case, and the addresses, that the certificate is for; other kinds of names are left out.
    public var hostNames: [String] {
        dnsNames
            + _subjectAlternativeNames().filter { $0.nameType == .ipAddress }.compactMap { name in
                try? SocketAddress(packedIPAddress: ByteBuffer(bytes: Array(name.contents)), port: 0).ipAddress
            }
    }
}
