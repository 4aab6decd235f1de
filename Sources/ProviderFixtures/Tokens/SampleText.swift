import StrictJSON

/// JSON from this module's source, or put together from it.
enum SampleText {
    static func object(_ text: String) -> JSONValue {
        object(Array(text.utf8))
    }

    static func object(_ bytes: [UInt8]) -> JSONValue {
        guard let document = try? JSONDocument(parsing: bytes, limits: .document), document.root.kind == .object else {
            // A trap is right here: the text is a constant of this module, and a test reads every one.
            preconditionFailure("a sample is not the text of one JSON object")
        }
        return document.root
    }
}
