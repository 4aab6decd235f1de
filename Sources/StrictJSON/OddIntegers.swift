/// Integers of a JSON text that `Int64` cannot represent: those beyond 64 bits, and minus zero.
///
/// The parser would refuse the former and read the latter as zero. So large integers are replaced by reals of the same
/// length before parsing. Both kinds are identified by their position among all numbers of the text, whose order the
/// parsed tree keeps.
struct OddIntegers {
    /// The text for the parser. It has the same length as the original, so offsets are the same in both.
    private(set) var text: [UInt8]
    /// The ranges of the odd integers in the text, by their position among all numbers.
    private(set) var ranges: [Int: Range<Int>] = [:]
    /// Number of numbers in the text so far.
    private var numberCount = 0

    /// Number of digits in the greatest `Int64`. Shorter integers are never odd, except for minus zero.
    static let fewestDigits = 19
    /// Number of digits up to which an integer is certainly a finite real.
    private static let mostDigits = 308
    private static let greatestReal = Array("1.7976931348623157e308".utf8)

    /// Makes the value for a text without odd integers.
    init() {
        text = []
    }

    init(_ bytes: Span<UInt8>) {
        text = [UInt8](copying: bytes)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = bytes.endOfString(from: index) ?? bytes.count
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                let end = Self.endOfNumber(bytes, from: index)
                take(index..<end, of: bytes)
                index = end
            default: index &+= 1
            }
        }
    }

    private static func endOfNumber(_ bytes: Span<UInt8>, from start: Int) -> Int {
        var index = start &+ 1
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"),
                UInt8(ascii: "+"),
                UInt8(ascii: "-"):
                index &+= 1
            default: return index
            }
        }
        return index
    }

    private mutating func take(_ range: Range<Int>, of bytes: Span<UInt8>) {
        let number = numberCount
        numberCount &+= 1
        let start = bytes[range.lowerBound] == UInt8(ascii: "-") ? range.lowerBound &+ 1 : range.lowerBound
        let digits = start..<max(start, range.upperBound)
        guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[$0]) }) else { return }
        if !digits.isEmpty, bytes[digits.lowerBound] == UInt8(ascii: "0") {
            // Other numbers that begin with a zero are not JSON, and the parser refuses them.
            if digits.count == 1, range.count == 2 { ranges.updateValue(range, forKey: number) }
        } else if digits.count >= Self.fewestDigits, Int64(String(copying: bytes.extracting(range))) == nil {
            ranges.updateValue(range, forKey: number)
            writeReal(over: digits)
        }
    }

    /// Replaces an integer in the text by a real of similar size. Its value is used in range checks and never compared
    /// for equality.
    private mutating func writeReal(over digits: Range<Int>) {
        if digits.count <= Self.mostDigits {
            text.replaceSubrange(digits.suffix(2), with: "e2".utf8)
        } else {
            var real = Self.greatestReal
            real.append(contentsOf: repeatElement(UInt8(ascii: " "), count: digits.count &- real.count))
            text.replaceSubrange(digits, with: real)
        }
    }
}
