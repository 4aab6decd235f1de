import JOSE
import StrictJSON

extension FuzzTarget {
    /// Reads a byte that chooses a key, a signature in the length of its curve, and a message. Checks that the table of
    /// the key and libcrypto give the same verdict, also on the neighbours of the signature.
    static func ecdsa(_ bytes: [UInt8]) {
        guard let first = bytes.first else { return }
        let keys = TabledKeys.all[Int(first) % TabledKeys.all.count]
        let length = keys.algorithm.signatureByteCount ?? 0
        let signature = Array(bytes.dropFirst().prefix(length))
        let message = Array(bytes.dropFirst(1 + length))
        judge(signature, message, keys)
        guard signature.count == length else { return }
        let (r, s) = (Array(signature.prefix(length / 2)), Array(signature.suffix(length / 2)))
        for other in [s + r, r + r, s + s] { judge(other, message, keys) }
    }

    private static func judge(_ signature: [UInt8], _ message: [UInt8], _ keys: TabledKeys) {
        let verdicts = [keys.tabled, keys.plain].map { key in
            key.verify(signature: signature.span, signingInput: message.span, algorithm: keys.algorithm)
        }
        require(verdicts[0] == verdicts[1], "another verdict than libcrypto's")
        require(!keys.tables.haveFailed, "a table that libcrypto contradicts")
    }
}

/// A key twice: once with a table, and once without.
private struct TabledKeys {
    let algorithm: SignatureAlgorithm
    let tabled: VerificationKey
    let plain: VerificationKey
    let tables: KeyTables

    /// Keys of RFC 6979 §A.2.5 to A.2.7.
    static let all = [
        TabledKeys(
            .es256,
            #"{"kty":"EC","crv":"P-256","#
                + #""x":"YP7UuiVanTHJYet0xjVtaMBJuJI7Yfps5mliLmDyn7Y","#
                + #""y":"eQP-EAi4vJmkGunpVii8ZPLxsgwtfp9Rd6PClNRGIpk"}"#),
        TabledKeys(
            .es384,
            #"{"kty":"EC","crv":"P-384","#
                + #""x":"7DpOQVtOGaRWhhgCn0J_pdqai8SukuAuBqrlKGswDGTe-PDqkFWGYGSiVFFUgLwT","#
                + #""y":"gBXZty19VyROqO-awMYhiWcIpZNn-d-59UyoSz8cnbEoiyMcOuDU_nNE_SUzJkcg"}"#),
        TabledKeys(
            .es512,
            #"{"kty":"EC","crv":"P-521","#
                + #""x":"AYlFUNB4WTLgDqojtpTyE_jDEh-G3JegTlpxZ9tOW803ESPUbkXba11TcKfyD7YzFV04_6FtK9dh3KxHS5ovUCOk","#
                + #""y":"AEkxAclizU0v3feCKF5kWEE5wvkbR_h_-CNU1mMPdGoooNsldBtbNKgoAIsirMI_kk-q-9TTP4HqZpVt_qor_fz1"}"#),
    ]

    private init(_ algorithm: SignatureAlgorithm, _ jwk: String) {
        guard let document = try? JSONDocument(parsing: Array(jwk.utf8), limits: .keySet),
            let tabled = try? VerificationKey(jwk: document.root), let plain = try? VerificationKey(jwk: document.root)
        else { fatalError("a key that cannot be read") }
        (self.algorithm, self.tabled, self.plain) = (algorithm, tabled, plain)
        tables = KeyTables(limit: 1, wake: { _ in }, report: { event in fatalError("\(event.cause)") })
        tables.publish([tabled])
        tables.build()
        guard tables.status.tables == 1 else { fatalError("a key without a table") }
    }
}
