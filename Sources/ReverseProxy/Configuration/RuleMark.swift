/// Mark of a rule in the text of a caller that it permitted: a number in place of its names, which may be long.
///
/// The number is made from names of the configuration alone (FNV-1a of 64 bits), so nobody else can choose one that
/// collides.
struct RuleMark: Hashable {
    let number: UInt64

    /// Bytes of a mark, with the one that says what the text behind it is.
    static let byteCount = 9
    private static let client = UInt8(ascii: "c")
    private static let subject = UInt8(ascii: "s")

    init(resource: String, rule: String) {
        var number: UInt64 = 0xCBF2_9CE4_8422_2325
        // No name has the character between them.
        for byte in "\(resource)\0\(rule)".utf8 { number = (number ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
        self.number = number
    }

    /// Appends the mark to the text of a caller.
    func append(isClient: Bool, to text: inout [UInt8]) {
        for shift in 0..<8 { text.append(UInt8(truncatingIfNeeded: number &>> (8 &* UInt64(shift)))) }
        text.append(isClient ? Self.client : Self.subject)
    }

    /// True if the text begins with the mark.
    func begins(_ text: [UInt8]) -> Bool {
        var begin: [UInt8] = []
        append(isClient: true, to: &begin)
        return text.count >= Self.byteCount && text.prefix(8) == begin.prefix(8)
    }

    /// True if a text that begins with a mark is about a client, false if it is about a subject.
    static func isClient(_ text: [UInt8]) -> Bool { text.dropFirst(8).first == client }
}
