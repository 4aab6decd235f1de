import Files
import NIOPosix
import SystemPackage

/// A file without a name that outlives this process: who started it holds the descriptor, and gives it to the next one
/// too.
///
/// Two texts alternate in it, so that a process that ends while it writes spoils one of them and not the other. It is
/// opened anew by its descriptor, whose offset all processes share.
public struct InheritedFile: Sendable {
    private let path: String
    /// Bytes of each of the two.
    private let room: Int

    /// Looks at nothing yet.
    ///
    /// - Parameters:
    ///   - descriptor: of a regular file of this user's, for this user alone; who gives it has looked.
    ///   - limit: the most bytes of a text.
    public init(descriptor: CInt, limit: Int) {
        path = "/proc/self/fd/\(descriptor)"
        room = limit + NumberedText.headLength
    }

    /// Reads the last text that was written whole. Nil if none was.
    public func read() async throws(StateFileFailure) -> [UInt8]? {
        let found = try await NIOThreadPool.singleton.runOnState {
            try Self.halves(of: OpenFile(path, .readWrite), room: room)
        }
        if let latest = Self.latest(found) { return latest.value.text }
        guard found.allSatisfy(\.isEmpty) else { throw .failed("it is damaged") }
        return nil
    }

    /// Writes a text in place of the one before the last.
    public func write(_ text: [UInt8]) async throws(StateFileFailure) {
        guard text.count <= room - NumberedText.headLength else { throw .tooLarge }
        try await NIOThreadPool.singleton.runOnState {
            let file = try OpenFile(path, .readWrite)
            let latest = Self.latest(try Self.halves(of: file, room: room))
            let next = NumberedText(text, number: (latest?.value.number ?? 0) &+ 1)
            guard let bytes = next.bytes else { throw StateFileFailure.failed("the cryptographic library failed") }
            try file.seek(to: latest?.index == 0 ? room : 0)
            try file.write(bytes)
        }
    }

    private static func latest(_ halves: [[UInt8]]) -> (index: Int, value: NumberedText)? {
        halves.enumerated().compactMap { index, bytes in NumberedText(reading: bytes).map { (index, $0) } }
            .max { $0.1.number < $1.1.number }
            .map { (index: $0.0, value: $0.1) }
    }

    private static func halves(of file: OpenFile, room: Int) throws(Errno) -> [[UInt8]] {
        try [0, room].map { offset throws(Errno) in
            try file.seek(to: offset)
            var bytes: [UInt8] = []
            while bytes.count < room {
                let part = try file.read(upTo: room - bytes.count)
                guard !part.isEmpty else { break }
                bytes += part
            }
            return bytes
        }
    }
}
