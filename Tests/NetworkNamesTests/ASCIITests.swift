import NetworkNames
import Testing

struct ASCIITests {
    @Test(arguments: UInt8.min...UInt8.max)
    func `every byte has the classes of its character`(byte: UInt8) {
        let character = Character(UnicodeScalar(byte))
        #expect(ASCII.isDigit(byte) == "0123456789".contains(character))
        #expect(ASCII.isLetter(byte) == (character.isASCII && character.isLetter))
        #expect(
            ASCII.isHostByte(byte)
                == (character.isASCII && (character.isLetter || character.isNumber || "-._".contains(character))))
        #expect(ASCII.hexDigit(byte).map { Int($0) } == (character.isASCII ? character.hexDigitValue : nil))
    }

    @Test(
        arguments: [
            ("7", 7, 7), ("8", 7, nil), ("007", 7, 7), ("", 7, nil), ("1a", 99, nil),
            ("100000000000000000", 100_000_000_000_000_000, 100_000_000_000_000_000),
            ("999999999999999999999", 100_000_000_000_000_000, nil),
        ] as [(String, Int, Int?)])
    func `a decimal number above its limit is refused`(digits: String, limit: Int, value: Int?) {
        let found = ASCII.decimal(digits.utf8.span, atMost: limit)
        #expect(found == value)
    }
}
