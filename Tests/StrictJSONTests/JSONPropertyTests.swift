import StrictJSON
import TestSupport
import Testing

struct JSONPropertyTests {
    /// A value a test can write and compare.
    private indirect enum Sample {
        case null, boolean(Bool), integer(Int64), real(Double), string(String), array([Sample]), object(
            [(String, Sample)])

        static func random(depth: Int, using generator: inout SeededGenerator) -> Sample {
            switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
            case 0: .null
            case 1: .boolean(Bool.random(using: &generator))
            case 2:
                .integer(Int64(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0..<64, using: &generator)))
            case 3:
                .real(
                    Double(bitPattern: generator.next()).isFinite
                        ? Double.random(in: -1e9...1e9, using: &generator) : 0.1)
            case 4: .string(randomString(using: &generator))
            case 5: .array(randomElements(depth: depth, using: &generator))
            default:
                .object(
                    randomElements(depth: depth, using: &generator).enumerated().map { index, value in
                        ("\(index)" + randomString(using: &generator), value)
                    })
            }
        }

        static func randomElements(depth: Int, using generator: inout SeededGenerator) -> [Sample] {
            var elements: [Sample] = []
            for _ in 0..<Int.random(in: 0..<6, using: &generator) {
                elements.append(random(depth: depth - 1, using: &generator))
            }
            return elements
        }

        static func randomString(using generator: inout SeededGenerator) -> String {
            var text = ""
            for _ in 0..<Int.random(in: 0..<12, using: &generator) {
                let value = UInt32.random(in: 1...(Bool.random(using: &generator) ? 0x7F : 0x10FFFF), using: &generator)
                if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
            }
            return text
        }

        var text: String {
            switch self {
            case .null: "null"
            case .boolean(let value): "\(value)"
            case .integer(let value): "\(value)"
            case .real(let value): "\(value)"
            case .string(let value): Self.quoted(value)
            case .array(let elements): "[ " + elements.map(\.text).joined(separator: " ,\n") + "]"
            case .object(let members):
                "{" + members.map { name, value in Self.quoted(name) + " : " + value.text }.joined(separator: ",\t")
                    + " }"
            }
        }

        static func quoted(_ text: String) -> String {
            "\""
                + text.utf16.map { unit in
                    "\\u" + String(repeating: "0", count: 4 - String(unit, radix: 16).count) + String(unit, radix: 16)
                }.joined() + "\""
        }

        func equals(_ value: JSONValue) -> Bool {
            switch self {
            case .null: value.isNull
            case .boolean(let own): value.boolean == own
            case .integer(let own): value.integer == own
            case .real(let own): value.kind == .real && value.real == own
            case .string(let own): value.string?.unicodeScalars.elementsEqual(own.unicodeScalars) ?? false
            case .array(let elements):
                value.count == elements.count
                    && zip(elements, value.elements).allSatisfy { own, other in own.equals(other) }
            case .object(let members):
                value.count == members.count
                    && zip(members, value.members).allSatisfy { own, other in
                        own.0.unicodeScalars.elementsEqual(other.name.unicodeScalars) && own.1.equals(other.value)
                    }
            }
        }
    }

    @Test func `random values are read back as equal, also after being written again`() throws {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2000 {
            let sample = Sample.array([Sample.random(depth: 6, using: &generator)])
            let limits = JSONLimits(bytes: 1 << 20)
            let first = try JSONDocument(parsing: Array(sample.text.utf8), limits: limits)
            #expect(sample.equals(first.root))
            let second = try JSONDocument(parsing: first.root.serialized(), limits: limits)
            #expect(sample.equals(second.root))
        }
    }

    @Test func `mutated documents are judged without harm, and accepted ones can be written and read again`() throws {
        var generator = SeededGenerator(seed: 2)
        let text =
            #"{"iss":"https://id.example","aud":["a","b"],"exp":1700000000.5,"x":{"y":[1.5e3,true,null,"\u00e9\ud83d\ude00é"]}}"#
        for _ in 0..<20_000 {
            var bytes = Array(text.utf8)
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            guard let document = try? JSONDocument(parsing: bytes, limits: .claimsSet) else { continue }
            let written = document.root.serialized()
            let again = try JSONDocument(parsing: written, limits: .document)
            #expect(again.root.serialized() == written)
        }
    }
}
