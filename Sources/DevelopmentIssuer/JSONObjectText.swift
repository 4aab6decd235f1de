import StrictJSON

/// Makes the text of one JSON object.
enum JSONObjectText {
    static func make(_ members: (inout JSONObjectWriter, inout [UInt8]) -> Void) -> String {
        var bytes: [UInt8] = []
        var writer = JSONObjectWriter()
        writer.beginObject(into: &bytes)
        members(&writer, &bytes)
        writer.end(into: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}
