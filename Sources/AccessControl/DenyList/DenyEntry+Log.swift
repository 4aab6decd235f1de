import JOSE
import StrictJSON

extension DenyEntry {
    /// Maximum size of `note` in bytes.
    public static let longestNote = 200

    /// Problem of a text as a note: empty, too long, or with characters that are no part of a printable line. Nil if it
    /// can be a note.
    public static func fault(ofNote text: String) -> String? {
        guard !text.isEmpty else { return "is empty" }
        guard text.utf8.count <= longestNote else { return "is longer than \(longestNote) bytes" }
        // Terminals show a note as it is.
        guard text.visible.utf8.elementsEqual(text.utf8) else { return "has characters that are not printable" }
        return nil
    }

    /// Name of the entry in logs: SHA-256 of issuer, attribute and value, with zero bytes in between. Nil only if the
    /// cryptographic library failed.
    ///
    /// All entries about the same tokens have the same digest, at every gateway. It hides the value only from readers
    /// who cannot guess it.
    public var digest: String? { SHA256.hexadecimal(of: "\(issuer)\0\(attribute.rawValue)\0\(value)") }
}
