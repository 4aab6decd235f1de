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
        guard let kind = attributes[.type] as? FileAttributeType else { throw Self.problem("there is no such file") }
        // A pipe would keep us waiting for its other end.
        guard kind == .typeRegular else { throw Self.problem("this is not a regular file") }
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

    /// Whether a path leads to a regular file.
    static func exists(at path: String) -> Bool {
        attributes(ofFileAt: path)[.type] as? FileAttributeType == .typeRegular
    }

    /// Of what a path leads to, by way of symbolic links too; empty if that is nothing.
    private static func attributes(ofFileAt path: String) -> [FileAttributeKey: Any] {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        return (try? FileManager.default.attributesOfItem(atPath: target)) ?? [:]
    }

    private static func problem(_ message: String) -> Problem {
        Problem(.error, at: .start, message: message)
    }
}
