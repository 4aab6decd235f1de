import Files
import Synchronization
import SystemPackage

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where log lines go: a standard stream, or a file that is only appended to.
///
/// One thread writes to it at a time.
public final class LogFile: Sendable {
    /// The outcome of a write.
    enum Outcome: Hashable {
        case wrote(Int)
        /// There is no reader; nothing was written.
        case wouldBlock
        /// By the system's number.
        case failed(CInt)
    }

    /// How long one attempt waits for a reader.
    static let patience: Duration = .milliseconds(100)
    /// What a pipe takes whole or not at all (`PIPE_BUF`), so that lines of several writers are not mixed.
    static let atomicLength = 4096

    public static let standardOutput = LogFile(standardStream: STDOUT_FILENO)
    public static let standardError = LogFile(standardStream: STDERR_FILENO)

    private let descriptor: CInt
    private let isOwned: Bool
    /// A file on a disk, which never makes a writer wait for a reader.
    private let isRegular: Bool
    /// The last line in the file is only a part of one.
    private let owesNewline = Atomic<Bool>(false)

    private init(standardStream: CInt) {
        descriptor = standardStream
        isOwned = false
        isRegular = Self.isRegular(standardStream)
    }

    /// Opens a file for appending, and makes it if there is none.
    ///
    /// A named pipe has to have a reader already: opening one that has none would wait for it.
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

    /// Writes some of the bytes, which begin where the last ones ended.
    func write(_ bytes: ArraySlice<UInt8>) -> Outcome {
        guard isRegular || isWritable() else { return .wouldBlock }
        guard owesNewline.load(ordering: .relaxed) else { return put(piece(of: bytes)) }
        let outcome = put([UInt8(ascii: "\n")])
        guard outcome == .wrote(1) else { return outcome }
        owesNewline.store(false, ordering: .relaxed)
        return .wrote(0)
    }

    /// Makes the next line begin anew after a line of which only so many bytes could be written.
    ///
    /// The part is cut off where the file is ours and nothing was appended to it since. Otherwise the line is ended
    /// where it is: another process's lines must not be cut off, and a standard stream may be another process's file.
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

    /// As many whole lines as go out in one piece.
    private func piece(of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard !isRegular, bytes.count > Self.atomicLength else { return bytes }
        let piece = bytes.prefix(Self.atomicLength)
        return piece.lastIndex(of: UInt8(ascii: "\n")).map { piece[...$0] } ?? piece
    }

    private func isWritable() -> Bool {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        let milliseconds = CInt(clamping: Self.patience.components.attoseconds / 1_000_000_000_000_000)
        // Where the reader or the descriptor is gone, writing fails.
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

/// Why a file cannot be written.
public struct LogFileFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public let path: String
    /// By the system's number.
    public let number: CInt

    public var description: String { "\(path): \(Self.words(for: number))" }

    static func words(for number: CInt) -> String { Errno(rawValue: number).words }
}
