/// Makes new key IDs that look like the provider's.
enum KeyIDStyle {
    /// Makes a random key ID of the same form: digits and letters are replaced by others of the same kind, other
    /// characters stay.
    static func similar(to keyID: String) -> String {
        let symbols = keyID.utf8.filter { $0 != UInt8(ascii: "-") }
        let isHexadecimal = symbols.allSatisfy(isLowerHexadecimal) && !symbols.allSatisfy(isDigit)
        return String(
            keyID.map { character in
                isHexadecimal && character != "-" ? random(hexadecimal, character) : similar(to: character)
            })
    }

    private static func similar(to character: Character) -> Character {
        switch character {
        case "0"..."9": random(digits, character)
        case "a"..."z": random(letters, character)
        case "A"..."Z": Character(random(letters, character).uppercased())
        default: character
        }
    }

    private static func random(_ alphabet: [Character], _ fallback: Character) -> Character {
        alphabet.randomElement() ?? fallback
    }

    private static func isLowerHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "f") ~= byte
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
    }

    private static let digits = Array("0123456789")
    private static let letters = Array("abcdefghijklmnopqrstuvwxyz")
    private static let hexadecimal = Array("0123456789abcdef")
}
