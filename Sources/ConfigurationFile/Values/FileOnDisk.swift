import Files
import SystemPackage

/// Content and permissions of a regular file that was read as a whole.
struct FileOnDisk {
    let bytes: [UInt8]
    /// True if users who are neither the owner nor in the file's group may write it.
    let isWritableByOthers: Bool
    /// True if users who are neither the owner nor in the file's group may read it.
    let isReadableByOthers: Bool

    /// Reads at most one byte more than `longest`, so that callers recognize a file that is too long.
    init(at path: String, longest: Int) throws(Problem) {
        do {
            let found = try Stat(FilePath(path))
            switch Self.kind(found) {
            case .regular: break
            case .directory: throw Self.problem("this is a directory", hint: "name the file in it")
            // Opening a pipe would block until its other end is opened.
            case .other: throw Self.problem("this is not a regular file")
            }
            bytes = try Self.beginning(of: try OpenFile(path, .readOnly), longest + 1)
            isWritableByOthers = found.permissions.contains(.otherWrite)
            isReadableByOthers = found.permissions.contains(.otherRead)
        } catch let problem as Problem {
            throw problem
        } catch {
            throw Self.problem(Self.words(error as? Errno ?? .ioError))
        }
    }

    private static func words(_ error: Errno) -> String {
        switch error {
        case .noSuchFileOrDirectory, .notDirectory: "there is no such file"
        default: "the file cannot be read: \(error.words)"
        }
    }

    private static func beginning(of file: OpenFile, _ count: Int) throws(Errno) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let part = try file.read(upTo: min(count - bytes.count, 64 * 1024))
            guard !part.isEmpty else { break }
            bytes += part
        }
        return bytes
    }

    enum Kind: Sendable, Hashable {
        case regular, directory, other
    }

    /// Kind of file at a path. Nil if there is none, or if it may not be looked at.
    static func kind(at path: String) -> Kind? {
        look(at: path).map(kind)
    }

    /// Message for a path that leads to no regular file. Nil if it leads to one.
    static func absence(at path: String, writtenAs written: String) -> String? {
        switch kind(at: path) {
        case .regular: nil
        case .directory: "`\(written)` is a directory, not a file"
        case .other: "`\(written)` is not a regular file"
        case nil: "there is no file `\(written)`"
        }
    }

    private static func kind(_ found: Stat) -> Kind {
        switch found.type {
        case .regular: .regular
        case .directory: .directory
        default: .other
        }
    }

    /// Reads the attributes of the file at a path and follows symbolic links. Nil if there is none, or if that is not
    /// permitted.
    static func look(at path: String) -> Stat? { try? Stat(FilePath(path)) }

    private static func problem(_ message: String, hint: String? = nil) -> Problem {
        Problem(.error, at: .start, message: message, hint: hint)
    }
}
