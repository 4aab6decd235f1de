/// Key, signature and digest of the message `sample` (RFC 6979 §A.2.5 to A.2.7), in hexadecimal.
struct KnownAnswer {
    let x: String
    let y: String
    let signature: String
    let digest: String

    /// The answer for a curve, with the digest of the same length as the order.
    init(_ curve: PrimeCurve) {
        switch curve {
        case .p256:
            x = "60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6"
            y = "7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299"
            signature =
                "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716f7cb1c942d657c41d436c7a1"
                + "b6e29f65f3e900dbb9aff4064dc4ab2f843acda8"
            digest = "af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf"
        case .p384:
            x = "ec3a4e415b4e19a4568618029f427fa5da9a8bc4ae92e02e06aae5286b300c64def8f0ea9055866064a25451" + "5480bc13"
            y = "8015d9b72d7d57244ea8ef9ac0c621896708a59367f9dfb9f54ca84b3f1c9db1288b231c3ae0d4fe7344fd25" + "33264720"
            signature =
                "94edbb92a5ecb8aad4736e56c691916b3f88140666ce9fa73d64c4ea95ad133c81a648152e44acf96e36dd1e"
                + "80fabe4699ef4aeb15f178cea1fe40db2603138f130e740a19624526203b6351d0a3a94fa329c145786e679e"
                + "7b82c71a38628ac8"
            digest =
                "9a9083505bc92276aec4be312696ef7bf3bf603f4bbd381196a029f340585312313bca4a9b5b890efee42c77" + "b1ee25fe"
        case .p521:
            x =
                "01894550d0785932e00eaa23b694f213f8c3121f86dc97a04e5a7167db4e5bcd371123d46e45db6b5d5370a7"
                + "f20fb633155d38ffa16d2bd761dcac474b9a2f5023a4"
            y =
                "00493101c962cd4d2fddf782285e64584139c2f91b47f87ff82354d6630f746a28a0db25741b5b34a828008b"
                + "22acc23f924faafbd4d33f81ea66956dfeaa2bfdfcf5"
            signature =
                "00c328fafcbd79dd77850370c46325d987cb525569fb63c5d3bc53950e6d4c5f174e25a1ee9017b5d450606a"
                + "dd152b534931d7d4e8455cc91f9b15bf05ec36e377fa00617cce7cf5064806c467f678d3b4080d6f1cc50af2"
                + "6ca209417308281b68af282623eaa63e5b5c0723d8b8c37ff0777b1a20f8ccb1dccc43997f1ee0e44da4a67a"
            digest =
                "39a5e04aaff7455d9850c605364f514c11324ce64016960d23d5dc57d3ffd8f49a739468ab8049bf18eef820"
                + "cdb1ad6c9015f838556bc7fad4138b23fdf986c7"
        }
    }

    /// Reads pairs of hexadecimal digits.
    static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8)
        return stride(from: 0, to: digits.count, by: 2).compactMap { index in
            // in bounds: the constants have an even number of digits
            UInt8(String(decoding: digits[index...(index &+ 1)], as: UTF8.self), radix: 16)
        }
    }
}

extension KeyTable {
    /// Verifies a known signature with a new table. Throws ``KeyTableFailure/wrong`` unless it is valid, and invalid
    /// with one bit of the signature or of the digest flipped.
    public static func selfTest(_ curve: PrimeCurve) throws(KeyTableFailure) {
        let answer = KnownAnswer(curve)
        let (signature, digest) = (KnownAnswer.bytes(answer.signature), KnownAnswer.bytes(answer.digest))
        let table = try KeyTable(curve, x: KnownAnswer.bytes(answer.x), y: KnownAnswer.bytes(answer.y))
        let isValid = table.verify(signature: signature.span, digest: digest.span) == true
        let other = digest.map { $0 ^ 1 }
        let isFooled = [0, curve.byteCount].contains { half in
            var flipped = signature
            flipped[half &+ curve.byteCount / 2] ^= 1
            return table.verify(signature: flipped.span, digest: digest.span) != false
        }
        guard isValid, !isFooled, table.verify(signature: signature.span, digest: other.span) == false else {
            throw .wrong
        }
    }
}
