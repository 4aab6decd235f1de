import Files
import NIOPosix
import SystemPackage

/// Unnamed file that outlives this process. The parent process holds its descriptor, and passes it to the next process
/// too.
///
/// The file has two slots for texts, which are written alternately. A process that exits during a write damages only
/// one of them. The file is opened again through its descriptor, because all processes share the descriptor's offset.
public struct InheritedFile: Sendable {
    private let path: String
    /// Size of each of the two slots for a text, in bytes.
    private let room: Int

    /// Refers to the file by its descriptor. Does not access the file yet.
    ///
    /// - Parameters:
    ///   - descriptor: descriptor of a regular file that belongs to this user, and that only this user can access. The
    ///     caller must have checked this.
    ///   - limit: the greatest length of a text, in bytes.
    public init(descriptor: CInt, limit: Int) {
        path = "/proc/self/fd/\(descriptor)"
        room = limit + NumberedText.headLength
    }

    /// Reads the last text that was written completely. Nil if none was.
    public func read() async throws(StateFileFailure) -> [UInt8]? {
        let found = try await NIOThreadPool.singleton.runOnState {
            try Self.halves(of: OpenFile(path, .readWrite), room: room)
        }
        if let latest = Self.latest(found) { return latest.value.text }
        guard found.allSatisfy(\.isEmpty) else { throw .failed("it is damaged") }
        return nil
    }

    /// Writes a text over the older of the two texts.
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
