/// The one block of a text in PEM (RFC 7468 §2) that holds a public key or a certificate.
///
/// Text before the block is ignored, because tools write explanations there. Text after it is refused: it may be the
/// rest of a key that was pasted into the file.
struct PEMBlock: Sendable, Hashable {
    /// Label of a block that is read.
    enum Label: String, Sendable, Hashable {
        /// A SubjectPublicKeyInfo (RFC 7468 §13).
        case publicKey = "PUBLIC KEY"
        /// An RSAPublicKey (RFC 8017 §A.1.1).
        case rsaPublicKey = "RSA PUBLIC KEY"
        case certificate = "CERTIFICATE"
    }

    let label: Label
    /// Content of the block in DER.
    let content: [UInt8]

    /// Largest text, in bytes. A certificate with a key of 8,192 bits needs a twentieth of it.
    static let byteLimit = 64 * 1024

    private typealias Line = ArraySlice<UInt8>

    init(_ text: [UInt8]) throws(PEMKeyRejection) {
        guard text.count <= Self.byteLimit else { throw .tooLarge }
        // Searched in the whole text: a private key is named first, whatever else is wrong.
        // In any case of letters, which differ in this bit, and with lines that a hand has shortened.
        guard !text.map({ $0 | 0x20 }).contains("private key-".utf8) else { throw .privateKey }
        let lines = text.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.map(Self.trimmed)
            .filter { !$0.isEmpty }
        guard !lines.contains(where: Self.isCutShort) else { throw .noLineBreaks }
        let labels = lines.compactMap { Self.label(of: $0, after: Self.beginning) }
        guard let name = labels.first else { throw Self.rejection(ofTextWithoutBlock: text) }
        guard labels.count == 1 else { throw .severalBlocks(labels.map(Self.text)) }
        guard let label = Label(rawValue: Self.text(name)) else { throw .labelUnknown(Self.text(name)) }
        self.label = label
        content = try Self.content(of: lines, label)
    }

    private static func content(of lines: [Line], _ label: Label) throws(PEMKeyRejection) -> [UInt8] {
        let block = lines.drop { Self.label(of: $0, after: beginning) == nil }.dropFirst()
        let body = block.prefix { Self.label(of: $0, after: end) == nil }
        let rest = block.dropFirst(body.count)
        guard let closing = rest.first, let closed = Self.label(of: closing, after: end),
            closed.elementsEqual(label.rawValue.utf8)
        else { throw .notClosed(label.rawValue) }
        guard rest.count == 1 else { throw .textAfterBlock(label.rawValue) }
        // A header such as `Proc-Type: 4,ENCRYPTED` (RFC 1421 §4.6.1.1). Base64 has no colon.
        guard !body.contains(where: { $0.contains(UInt8(ascii: ":")) }) else { throw .encrypted }
        let base64 = Array(body.joined())
        // The alphabet of URLs is for JWK. Blocks in PEM have the other one, with padding (RFC 7468 §2).
        guard !base64.contains(where: { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }), base64.count & 3 == 0,
            let content = PublishedBase64(base64.span)?.bytes, !content.isEmpty
        else { throw .notBase64(label.rawValue) }
        return content
    }

    // MARK: Lines

    private static let beginning = Array("-----BEGIN ".utf8)
    private static let end = Array("-----END ".utf8)
    private static let dashes = Array("-----".utf8)

    /// Label of a line that begins or ends a block. Nil for any other line.
    private static func label(of line: Line, after beginning: [UInt8]) -> Line? {
        guard line.starts(with: beginning) else { return nil }
        let label = line.dropFirst(beginning.count)
        return label.suffix(dashes.count).elementsEqual(dashes) ? label.dropLast(dashes.count) : nil
    }

    /// True for a line that begins a block and continues after that.
    private static func isCutShort(_ line: Line) -> Bool {
        guard line.starts(with: beginning) else { return false }
        let label = label(of: line, after: beginning) ?? line.dropFirst(beginning.count)
        return label.contains(dashes)
    }

    private static func trimmed(_ line: Line) -> Line {
        // A byte order mark, which editors write, is no part of the first line.
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        var line = line.starts(with: [0xEF, 0xBB, 0xBF]) ? line.dropFirst(3) : line
        line = line.drop(while: isSpace)
        while let last = line.last, isSpace(last) { line.removeLast() }
        return line
    }

    private static func text(_ label: Line) -> String {
        String(decoding: label, as: UTF8.self)
    }

    /// Names a text without a block by the kind of document that it seems to be.
    private static func rejection(ofTextWithoutBlock text: [UInt8]) -> PEMKeyRejection {
        let beginning = text.drop { $0 == UInt8(ascii: " ") || (0x09...0x0D).contains($0) }.first
        if beginning == UInt8(ascii: "{") || beginning == UInt8(ascii: "[") { return .json }
        // Keys and certificates in DER are sequences (X.690 §8.9) with bytes outside of ASCII.
        return text.first == 0x30 && text.contains { $0 >= 0x80 } ? .der : .noBlock
    }
}
