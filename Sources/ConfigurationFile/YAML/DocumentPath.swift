/// Path to a key or value, as problems show it: `issuers.logto.algorithms[1]`.
struct DocumentPath: CustomStringConvertible {
    private(set) var description = ""
    /// Last key of the path. Nil at the root, and for an element of a list.
    private(set) var key: String?

    var isRoot: Bool { description.isEmpty }

    static let root = DocumentPath()

    /// Appends a key. Keys that are not plain words are quoted in brackets: `resources["https://api.example"]`.
    func key(_ key: String) -> DocumentPath {
        var path = self
        if Self.isWord(key) {
            path.description += description.isEmpty ? key : "." + key
        } else {
            path.description += "[\"\(key)\"]"
        }
        path.key = key
        return path
    }

    func index(_ index: Int) -> DocumentPath {
        var path = self
        path.description += "[\(index)]"
        path.key = nil
        return path
    }

    private static func isWord(_ key: String) -> Bool {
        !key.isEmpty
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
