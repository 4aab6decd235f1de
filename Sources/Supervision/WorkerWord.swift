/// Message of a worker to its supervisor, as bytes in a pipe.
///
/// Supervisor and worker may have different versions, because an upgrade replaces only the worker. A supervisor of an
/// earlier version reads single bytes, and knows ``ready`` and ``stoppedAccepting`` by theirs. So no other message may
/// contain these bytes.
public enum WorkerWord: Sendable, Hashable {
    /// The worker serves, or would if its predecessor had stopped.
    case ready
    /// The worker was told to leave, and accepts no more connections.
    case stoppedAccepting
    /// Limits from the worker's file. Sent only to a supervisor that asks for them.
    case limits(WorkerLimits)

    private static let readyByte: UInt8 = 1
    private static let stoppedByte: UInt8 = 2
    private static let limitsByte = UInt8(ascii: "L")
    private static let lineEnd = UInt8(ascii: "\n")
    /// Largest limit that is accepted. No number in a configuration file is larger.
    private static let longest: Duration = .seconds(7 * 86_400)

    /// Bytes of the message, to be written at once.
    public var bytes: [UInt8] {
        switch self {
        case .ready: [Self.readyByte]
        case .stoppedAccepting: [Self.stoppedByte]
        case .limits(let limits): Array("L\(Self.milliseconds(limits.start)) \(Self.milliseconds(limits.end))\n".utf8)
        }
    }

    private static func milliseconds(_ duration: Duration) -> Int64 {
        let time = min(max(duration, .zero), longest).components
        return time.seconds * 1000 + time.attoseconds / 1_000_000_000_000_000
    }

    /// Parses a line of ``limits`` without its line feed. Nil if it is none.
    private init?(line: [UInt8]) {
        let numbers = line.dropFirst().split(separator: UInt8(ascii: " ")).map {
            Int64(String(decoding: $0, as: UTF8.self))
        }
        guard line.first == Self.limitsByte, numbers.count == 2, let start = numbers.first ?? nil,
            let end = numbers.last ?? nil,
            start >= 0, end >= 0
        else { return nil }
        self = .limits(
            WorkerLimits(start: min(.milliseconds(start), Self.longest), end: min(.milliseconds(end), Self.longest)))
    }

    /// Parser for bytes that arrive in pieces.
    struct Reader {
        /// Length beyond which the bytes of a line are dropped. No known message is longer.
        private static let longestLine = 64
        private var line: [UInt8] = []

        mutating func words(in bytes: some Sequence<UInt8>) -> [WorkerWord] {
            bytes.compactMap { word(after: $0) }
        }

        private mutating func word(after byte: UInt8) -> WorkerWord? {
            switch byte {
            case WorkerWord.readyByte: return .ready
            case WorkerWord.stoppedByte: return .stoppedAccepting
            case WorkerWord.lineEnd:
                defer { line = [] }
                return WorkerWord(line: line)
            default:
                if line.count < Self.longestLine { line.append(byte) }
                return nil
            }
        }
    }
}
