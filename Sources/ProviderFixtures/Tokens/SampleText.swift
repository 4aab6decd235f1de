import StrictJSON

/// Parses JSON objects from the source of this module, or composed from it.
enum SampleText {
    static func object(_ text: String) -> JSONValue {
        object(Array(text.utf8))
    }

    static func object(_ bytes: [UInt8]) -> JSONValue {
        guard let document = try? JSONDocument(parsing: bytes, limits: .document), document.root.kind == .object else {
            // A trap is acceptable: the text is a constant of this module, and a test parses each.
            preconditionFailure("a sample is not the text of one JSON object")
        }
        return document.root
    }
}
