/// The integers of a JSON text that no `Int64` tells: those beyond 64 bits, and minus zero.
///
/// The parser would refuse the first and take the second for zero. So it gets a real of the same length in the place of
/// the first, and both are known by their number among all numbers of the text, whose order the tree keeps.
struct OddIntegers {
    /// The text for the parser. As long as the original, so that offsets mean the same in both.
    private(set) var text: [UInt8]
    /// Byte ranges of the unusual integers, by their number.
    private(set) var ranges: [Int: Range<Int>] = [:]
    /// Number of numbers in the text.
    private var numberCount = 0

    /// Digits of the longest integer that an `Int64` can hold; no shorter one is odd, but for minus zero.
    static let fewestDigits = 19
    /// Digits of the longest integer that is surely a finite real.
    private static let mostDigits = 308
    private static let greatestReal = Array("1.7976931348623157e308".utf8)

    /// A text without any numbers.
    init() {
        text = []
    }

    init(_ bytes: Span<UInt8>) {
        text = [UInt8](copying: bytes)
        var index = 0
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""): index = bytes.endOfString(from: index)
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
            // Whatever else begins with a zero is no JSON, and the parser says so.
            if digits.count == 1, range.count == 2 { ranges.updateValue(range, forKey: number) }
        } else if digits.count >= Self.fewestDigits, Int64(String(copying: bytes.extracting(range))) == nil {
            ranges.updateValue(range, forKey: number)
            writeReal(over: digits)
        }
    }

    /// Writes a real that is nearly as great; its value is good for bounds, and never compared.
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

extension Span<UInt8> {
    /// The index behind the string that begins with the quote at `start`; the end of the text if it has none.
    func endOfString(from start: Int) -> Int {
        var index = start &+ 1
        while index < count {
            switch self[index] {
            case UInt8(ascii: "\\"): index &+= 2
            case UInt8(ascii: "\""): return index &+ 1
            default: index &+= 1
            }
        }
        return count
    }
}
