import Foundation

/// A regular file, read as a whole.
struct FileOnDisk {
    let bytes: [UInt8]
    /// Whether users that are neither the owner nor of the file's group may change it.
    let isWritableByOthers: Bool
    /// Whether such users may read it.
    let isReadableByOthers: Bool

    /// One byte more than the longest file is read, so that a longer one is known for what it is.
    init(at path: String, longest: Int) throws(Problem) {
        let attributes = Self.attributes(ofFileAt: path)
        switch Self.kind(attributes) {
        case .regular: break
        case .directory: throw Self.problem("this is a directory", hint: "name the file in it")
        // A pipe would keep us waiting for its other end.
        case .other: throw Self.problem("this is not a regular file")
        case nil: throw Self.problem("there is no such file")
        }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw Self.problem("the file cannot be read") }
        defer { try? handle.close() }
        var bytes: [UInt8] = []
        do {
            while bytes.count <= longest, let part = try handle.read(upToCount: longest + 1 - bytes.count), !part.isEmpty { bytes += part }
        } catch {
            throw Self.problem("the file cannot be read")
        }
        self.bytes = bytes
        let permissions = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0
        isWritableByOthers = permissions & 0o002 != 0
        isReadableByOthers = permissions & 0o004 != 0
    }

    enum Kind: Sendable, Hashable {
        case regular, directory, other
    }

    /// What a path leads to; nil: nothing, or nothing that may be looked at.
    static func kind(at path: String) -> Kind? {
        kind(attributes(ofFileAt: path))
    }

    /// What to say of a path that leads to no regular file; nil: it does.
    static func absence(at path: String, writtenAs written: String) -> String? {
        switch kind(at: path) {
        case .regular: nil
        case .directory: "`\(written)` is a directory, not a file"
        case .other: "`\(written)` is not a regular file"
        case nil: "there is no file `\(written)`"
        }
    }

    private static func kind(_ attributes: [FileAttributeKey: Any]) -> Kind? {
        switch attributes[.type] as? FileAttributeType {
        case nil: nil
        case .typeRegular?: .regular
        case .typeDirectory?: .directory
        default: .other
        }
    }

    /// Of what a path leads to, by way of symbolic links too; empty if that is nothing.
    static func attributes(ofFileAt path: String) -> [FileAttributeKey: Any] {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: target)) ?? [:]
    }

    private static func problem(_ message: String, hint: String? = nil) -> Problem {
        Problem(.error, at: .start, message: message, hint: hint)
    }
}
