import Foundation
import Synchronization
import Testing

/// A pipe for a child's output that is full and never read, or whose reading end is closed.
final class StalledPipe: Sendable {
    enum State: String, CaseIterable, Sendable {
        case notRead = "not read"
        case closed
    }

    private let readingEnd: CInt
    /// The writing end, for the child.
    let writing: FileHandle

    init(_ state: State) throws {
        var ends: [CInt] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        writing = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        switch state {
        case .notRead:
            readingEnd = ends[0]
            try fill()
        case .closed:
            readingEnd = -1
            close(ends[0])
        }
    }

    deinit {
        if readingEnd >= 0 { close(readingEnd) }
    }

    /// Fills the pipe until it takes no further byte.
    private func fill() throws {
        let descriptor = writing.fileDescriptor
        let flags = fcntl(descriptor, F_GETFL)
        _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
        for size in [4096, 1] {
            let bytes = [UInt8](repeating: UInt8(ascii: "\n"), count: size)
            while unsafe write(descriptor, bytes, size) > 0 {}
        }
        try #require(errno == EAGAIN)
        // The child writes in blocking mode, as to any pipe.
        _ = fcntl(descriptor, F_SETFL, flags)
    }

    // MARK: Reading after all

    /// Bytes that were read, and the number of lines in them that are JSON objects.
    struct Reading: Sendable {
        fileprivate(set) var bytes: [UInt8] = []
        fileprivate(set) var objects = 0

        var text: String { String(decoding: bytes, as: UTF8.self) }

        fileprivate mutating func add(_ more: ArraySlice<UInt8>) {
            for byte in more {
                if byte == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "\n") { objects += 1 }
                bytes.append(byte)
            }
        }
    }

    private let seen = Mutex(Reading())

    /// The bytes read so far.
    var reading: Reading { seen.withLock { $0 } }
    var objects: Int { seen.withLock { $0.objects } }

    /// Reads in a separate thread until all writers are gone.
    func startReading() {
        writing.closeFile()
        Thread.detachNewThread { [self] in
            var buffer = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = unsafe Glibc.read(readingEnd, &buffer, buffer.count)
                guard count > 0 else { return }
                seen.withLock { $0.add(buffer[..<count]) }
            }
        }
    }
}
