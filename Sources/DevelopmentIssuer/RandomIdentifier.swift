/// Makes random lower-case hexadecimal texts, for key IDs and token IDs.
enum RandomIdentifier {
    static func make(byteCount: Int) -> String {
        (0..<byteCount).map { _ in
            let digits = String(UInt8.random(in: .min ... .max), radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
