/// Parameters of an `application/x-www-form-urlencoded` text, in order (RFC 6749 appendix B).
public struct FormParameters: Sendable, Hashable {
    private let pairs: [Pair]

    private struct Pair: Sendable, Hashable {
        let name: String
        let value: String
    }

    /// Parses a text. Returns nil if an escape is malformed, or if the decoded text is not UTF-8.
    init?(_ text: String) {
        var pairs: [Pair] = []
        for piece in text.split(separator: "&") {
            let sides = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = sides.first.flatMap(Self.decode), let value = Self.decode(sides.dropFirst().first ?? "")
            else { return nil }
            pairs.append(Pair(name: name, value: value))
        }
        self.pairs = pairs
    }

    /// All values of a parameter. An empty value counts as absent (RFC 6749 §3.2).
    func values(_ name: String) -> [String] {
        pairs.filter { pair in pair.name == name && !pair.value.isEmpty }.map(\.value)
    }

    /// The first value of a parameter. Nil if it is absent or empty.
    subscript(_ name: String) -> String? {
        values(name).first
    }

    /// Reads the first value of a parameter as a raw value of an enum. Nil if the parameter is absent.
    func choice<Choice: RawRepresentable<String>, Failure: Error>(
        _ name: String, else failure: Failure
    ) throws(Failure) -> Choice? {
        guard let value = self[name] else { return nil }
        guard let choice = Choice(rawValue: value) else { throw failure }
        return choice
    }

    /// The first name that occurs more than once, apart from those that may be repeated. Nil if there is none.
    func repeatedName(except repeatable: Set<String>) -> String? {
        var seen: Set<String> = []
        return pairs.first { pair in !seen.insert(pair.name).inserted && !repeatable.contains(pair.name) }?.name
    }

    static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = hexDigit(rest.popFirst()), let low = hexDigit(rest.popFirst()) else { return nil }
                bytes.append(UInt8(high << 4 | low))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexDigit(_ byte: UInt8?) -> Int? {
        byte.flatMap { Character(UnicodeScalar($0)).hexDigitValue }
    }

    /// Encodes pairs in the form that this type parses.
    public static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { pair in escape(pair.name) + "=" + escape(pair.value) }.joined(separator: "&")
    }

    private static func escape(_ text: String) -> String {
        text.utf8.map { byte in
            if unreserved.contains(byte) { return String(UnicodeScalar(byte)) }
            return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
}
