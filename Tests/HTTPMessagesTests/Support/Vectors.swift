import Foundation

/// Published test vectors stored beside the tests.
enum Vectors {
    static func decode<Value: Decodable>(_ type: Value.Type, from name: String) throws -> Value {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: Data(contentsOf: folder.appending(path: "Vectors").appending(path: name)))
    }
}

extension [UInt8] {
    /// Decodes pairs of hexadecimal digits.
    init(hex: String) {
        let digits = hex.compactMap(\.hexDigitValue)
        self = stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}
