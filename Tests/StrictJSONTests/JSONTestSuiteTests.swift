import Foundation
import StrictJSON
import Testing

struct JSONTestSuiteTests {
    private static let folder = vectorFolder("jsontestsuite/test_parsing")

    /// Texts that the suite calls valid and Bearward refuses on purpose, with the reason.
    private static let refusedValid: [String: JSONRejection] = [
        "y_object_duplicated_key.json": .duplicateMember,
        "y_object_duplicated_key_and_value.json": .duplicateMember,
        "y_object_escaped_null_in_key.json": .nullCharacter,
        "y_string_null_escape.json": .nullCharacter,
        "y_string_space.json": .notObjectOrArray,
        "y_structure_lonely_false.json": .notObjectOrArray,
        "y_structure_lonely_int.json": .notObjectOrArray,
        "y_structure_lonely_negative_real.json": .notObjectOrArray,
        "y_structure_lonely_null.json": .notObjectOrArray,
        "y_structure_lonely_string.json": .notObjectOrArray,
        "y_structure_lonely_true.json": .notObjectOrArray,
        "y_structure_string_empty.json": .notObjectOrArray,
    ]

    /// Texts that the suite leaves open and Bearward accepts.
    private static let acceptedOpen = tooSmall.union(beyondInteger)
    private static let tooSmall: Set<String> = ["i_number_double_huge_neg_exp.json", "i_number_real_underflow.json"]
    private static let beyondInteger: Set<String> = [
        "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json", "i_number_very_big_negative_int.json",
    ]

    private static func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).filter { name in name.hasSuffix(".json") }
    }

    private static func rejection(of file: String) throws -> JSONRejection? {
        let bytes = [UInt8](try Data(contentsOf: folder.appending(path: file)))
        do throws(JSONRejection) {
            _ = try JSONDocument(parsing: bytes, limits: .document)
            return nil
        } catch {
            return error
        }
    }

    @Test func `every text of the JSON test suite gets its documented verdict (T134)`() throws {
        let files = try Self.files()
        #expect(files.count == 318)
        for file in files {
            let rejection = try Self.rejection(of: file)
            switch file.prefix(2) {
            case "y_": #expect(rejection == Self.refusedValid[file], "\(file)")
            case "n_": #expect(rejection != nil, "\(file)")
            default:
                #expect(
                    (rejection == nil) == Self.acceptedOpen.contains(file), "\(file): \(String(describing: rejection))")
            }
        }
    }

    @Test func `numbers too small for a real become zero`() throws {
        for file in Self.tooSmall {
            let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: file)))
            let document = try JSONDocument(parsing: bytes, limits: .document)
            #expect(document.root[index: 0]?.real == 0)
        }
    }

    @Test func `integers beyond 64 bits become reals that are written back unchanged`() throws {
        for file in Self.beyondInteger {
            let bytes = [UInt8](try Data(contentsOf: Self.folder.appending(path: file)))
            let root = try JSONDocument(parsing: bytes, limits: .document).root
            #expect(root[index: 0]?.kind == .real && root[index: 0]?.isBeyondInteger == true)
            #expect(root.serialized() == bytes.filter { ![0x20, 0x0A, 0x0D, 0x09].contains($0) })
        }
    }

    @Test(arguments: [
        ("i_structure_500_nested_arrays.json", JSONRejection.tooDeep),
        ("n_structure_100000_opening_arrays.json", .tooDeep),
        ("n_structure_open_array_object.json", .tooDeep),
        ("i_structure_UTF-8_BOM_empty_object.json", .byteOrderMark),
        ("i_number_huge_exp.json", .numberOutOfRange),
        ("i_string_overlong_sequence_2_bytes.json", .notUTF8),
        ("i_string_UTF-8_invalid_sequence.json", .notUTF8),
        ("n_multidigit_number_then_00.json", .notObjectOrArray),
        ("n_structure_no_data.json", .empty),
        ("n_structure_double_array.json", .trailingBytes),
    ])
    func `a rejection of the JSON test suite names its cause`(file: String, expected: JSONRejection) throws {
        #expect(try Self.rejection(of: file) == expected)
    }
}
