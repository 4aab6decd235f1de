import HTTPMessages

/// The fields of one HTTP/2 message in order, as decompressed.
struct FieldSection: Hashable, CustomStringConvertible {
    struct Field: Hashable {
        var name: [UInt8]
        var value: [UInt8]
        var isNeverIndexed = false
    }

    var fields: [Field] = []
    var endsStream = true

    init(_ fields: KeyValuePairs<String, String> = [:], endsStream: Bool = true) {
        self.fields = fields.map { Field(name: Array($0.key.utf8), value: Array($0.value.utf8)) }
        self.endsStream = endsStream
    }

    /// A GET of `/` with these fields after its pseudo-header fields.
    static func get(_ fields: KeyValuePairs<String, String> = [:], endsStream: Bool = true) -> FieldSection {
        let start: KeyValuePairs = [":method": "GET", ":scheme": "https", ":authority": "a.example", ":path": "/"]
        var section = FieldSection(start, endsStream: endsStream)
        section.fields += FieldSection(fields).fields
        return section
    }

    /// An extended CONNECT for WebSocket (RFC 8441 §5).
    static func webSocket(_ fields: KeyValuePairs<String, String> = [:]) -> FieldSection {
        let start: KeyValuePairs = [
            ":method": "CONNECT", ":protocol": "websocket", ":scheme": "https", ":authority": "a.example",
            ":path": "/chat?a=b",
            "sec-websocket-version": "13",
        ]
        var section = FieldSection(start, endsStream: false)
        section.fields += FieldSection(fields).fields
        return section
    }

    func values(of name: String) -> [[UInt8]] { fields.filter { $0.name == Array(name.utf8) }.map(\.value) }

    var description: String {
        let lines = fields.map {
            "\(String(decoding: $0.name, as: UTF8.self)): \(String(decoding: $0.value, as: UTF8.self))"
        }
        return "\(lines.joined(separator: "\n").debugDescription), ends: \(endsStream)"
    }
}
