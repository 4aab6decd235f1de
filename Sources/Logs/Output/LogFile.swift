import Files
import Synchronization
import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Output for log lines: a standard stream, or a file that is only appended to.
///
/// One thread writes to it at a time.
public final class LogFile: Sendable {
    /// The outcome of a write.
    enum Outcome: Hashable {
        case wrote(Int)
        /// Nothing was written, because the reader does not read.
        case wouldBlock
        /// The `errno` of the failed call.
        case failed(CInt)
    }

    /// Time that one attempt waits for a reader.
    static let patience: Duration = .milliseconds(100)
    /// Length up to which a pipe takes a write whole or not at all (`PIPE_BUF`), so that lines of several writers are
    /// not mixed.
    static let atomicLength = 4096

    public static let standardOutput = LogFile(standardStream: STDOUT_FILENO)
    public static let standardError = LogFile(standardStream: STDERR_FILENO)

    private let descriptor: CInt
    private let isOwned: Bool
    /// True for a file on a disk, which never makes a writer wait for a reader.
    private let isRegular: Bool
    /// True if the last line in the file is incomplete.
    private let owesNewline = Atomic<Bool>(false)

    private init(standardStream: CInt) {
        descriptor = standardStream
        isOwned = false
        isRegular = Self.isRegular(standardStream)
    }

    /// Opens a file for appending. Creates it if it does not exist.
    ///
    /// A named pipe must already have a reader. Without one, opening fails, because it would have to wait.
    public init(appendingTo path: String) throws(LogFileFailure) {
        let opened = unsafe open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o640)
        guard opened >= 0 else { throw LogFileFailure(path: path, number: errno) }
        descriptor = opened
        isOwned = true
        isRegular = Self.isRegular(opened)
    }

    deinit {
        if isOwned { close(descriptor) }
    }

    private static func isRegular(_ descriptor: CInt) -> Bool {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    // MARK: Writing

    /// Writes the first part of the bytes. The caller passes the rest at the next call.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        guard isRegular || isWritable() else { return .wouldBlock }
        guard owesNewline.load(ordering: .relaxed) else { return put(piece(of: bytes)) }
        let outcome = put([UInt8(ascii: "\n")])
        guard outcome == .wrote(1) else { return outcome }
        owesNewline.store(false, ordering: .relaxed)
        return .wrote(0)
    }

    /// Makes the next line start on its own after only `count` bytes of the last line could be written.
    ///
    /// The incomplete line is removed if the file is ours and nothing was appended since. Otherwise a line feed ends
    /// it: other processes' lines must not be cut off, and a standard stream may be another process's file.
    func endLine(after count: Int) {
        guard count > 0 else { return }
        if isOwned, isRegular, cutOff(count) { return }
        owesNewline.store(true, ordering: .relaxed)
    }

    private func cutOff(_ count: Int) -> Bool {
        var status = stat()
        let end = lseek(descriptor, 0, SEEK_CUR)
        guard end >= count, unsafe fstat(descriptor, &status) == 0, status.st_size == end else { return false }
        return ftruncate(descriptor, end - off_t(count)) == 0
    }

    /// Prefix of whole lines that is written in one piece.
    private func piece(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !isRegular, bytes.count > Self.atomicLength else { return bytes }
        let piece = bytes.prefix(Self.atomicLength)
        return piece.lastIndex(of: UInt8(ascii: "\n")).map { piece[...$0] } ?? piece
    }

    private func isWritable() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let milliseconds = CInt(clamping: Self.patience.components.attoseconds / 1_000_000_000_000_000)
        // If the reader or the descriptor is gone, the following write fails.
        return unsafe poll(&waiting, 1, milliseconds) > 0
    }

    private func put(_ bytes: ArraySlice<UInt8>) -> Outcome {
        while true {
            let count = unsafe bytes.withUnsafeBytes { unsafe write(to: descriptor, $0) }
            if count > 0 { return .wrote(count) }
            switch errno {
            case EINTR where count < 0: continue
            case EAGAIN where count < 0: return .wouldBlock
            default: return .failed(count < 0 ? errno : EIO)
            }
        }
    }

    private func write(to descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Musl)
            unsafe Musl.write(descriptor, bytes.baseAddress, bytes.count)
        #else
            unsafe Glibc.write(descriptor, bytes.baseAddress, bytes.count)
        #endif
    }
}

/// Reason that a file cannot be written.
public struct LogFileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// The `errno` of the failed call.
    public let number: CInt

    public var description: String { "\(path): \(Self.words(for: number))" }

    static func words(for number: CInt) -> String { Errno(rawValue: number).words }
}
