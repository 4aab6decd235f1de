import CHiredis

#if canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Owns one connection to the store: sends commands and receives values. Used by one thread at a time. Only connecting
/// may block, for the name lookup.
///
/// The store's answers are not trusted: bytes and number of elements of an answer are limited.
// SAFETY: the context is ours from `init` to `deinit`, and nothing else has its pointer.
@safe
final class StoreConnection {
    /// Kind of expected answers, with their size limits; a longer answer is invalid.
    enum Answers {
        /// Answers to ``QuotaScript``.
        case quotas
        /// Answers to ``RecordScripts``.
        case records

        fileprivate var longest: Int {
            switch self {
            case .quotas: 64 * 1024
            case .records: 8 * 1024 * 1024
            }
        }

        /// Length in bytes to which a text is cut.
        fileprivate var longestText: Int {
            switch self {
            case .quotas: 4096
            case .records: 128 * 1024
            }
        }
    }

    private let context: UnsafeMutablePointer<redisContext>
    private let answers: Answers

    init(to settings: StoreSettings, _ answers: Answers) throws(StoreFailure) {
        self.answers = answers
        guard let context = unsafe redisConnectNonBlock(settings.host, CInt(clamping: settings.port)) else {
            throw StoreFailure(fault: .connection("out of memory"))
        }
        unsafe self.context = context
        guard unsafe context.pointee.err == 0 else { throw StoreFailure(fault: .connection(cause)) }
        unsafe Limits.apply(answers, to: context.pointee.reader)
    }

    deinit {
        unsafe redisFree(context)
    }

    var descriptor: CInt { unsafe context.pointee.fd }

    /// Error text of the Redis client library.
    private var cause: String {
        unsafe withUnsafeBytes(of: context.pointee.errstr) { bytes in
            unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// Appends a command to those that are still to be sent.
    func append(_ words: [[UInt8]]) throws(StoreFailure) {
        var (all, lengths): ([UInt8], [Int]) = ([], [])
        for word in words {
            all += word
            lengths.append(word.count)
        }
        // SAFETY: the library copies what the pointers lead to before it returns; each lies within `all`.
        let status = unsafe all.withUnsafeBytes { bytes in
            var pointers: [UnsafePointer<CChar>?] = unsafe []
            var offset = 0
            for length in lengths {
                unsafe pointers.append(bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self))
                offset += length
            }
            return unsafe redisAppendCommandArgv(context, CInt(clamping: words.count), &pointers, &lengths)
        }
        guard status == REDIS_OK else { throw StoreFailure(fault: .connection(cause)) }
    }

    /// Sends as many bytes as the socket accepts.
    ///
    /// - Returns: true if everything was sent.
    func write() throws(StoreFailure) -> Bool {
        var isDone: CInt = 0
        guard unsafe redisBufferWrite(context, &isDone) == REDIS_OK else {
            throw StoreFailure(fault: .connection(cause))
        }
        return isDone != 0
    }

    /// Receives the bytes that the socket has.
    func read() throws(StoreFailure) {
        guard unsafe redisBufferRead(context) == REDIS_OK else { throw StoreFailure(fault: .connection(cause)) }
    }

    /// The next complete answer. Nil if there is none yet.
    func takeAnswer() throws(StoreFailure) -> StoreValue? {
        var answer: UnsafeMutableRawPointer?
        guard unsafe redisGetReplyFromReader(context, &answer) == REDIS_OK else { throw StoreFailure(fault: .invalid) }
        guard let answer = unsafe answer else {
            let pending = unsafe context.pointee.reader.map { unsafe $0.pointee.len &- $0.pointee.pos } ?? 0
            guard pending <= answers.longest else { throw StoreFailure(fault: .invalid) }
            return nil
        }
        defer { unsafe freeReplyObject(answer) }
        return unsafe value(answer.assumingMemoryBound(to: redisReply.self))
    }

    private func value(_ reply: UnsafeMutablePointer<redisReply>) -> StoreValue {
        switch unsafe reply.pointee.type {
        case REDIS_REPLY_INTEGER: return unsafe .integer(reply.pointee.integer)
        case REDIS_REPLY_STRING, REDIS_REPLY_STATUS: return unsafe .text(text(reply))
        case REDIS_REPLY_ERROR: return unsafe .error(String(decoding: text(reply), as: UTF8.self))
        case REDIS_REPLY_ARRAY:
            let elements = unsafe UnsafeBufferPointer(start: reply.pointee.element, count: reply.pointee.elements)
            return unsafe .list(elements.map { element in unsafe element.map { unsafe value($0) } ?? .null })
        default: return .null
        }
    }

    private func text(_ reply: UnsafeMutablePointer<redisReply>) -> [UInt8] {
        guard let start = unsafe reply.pointee.str else { return [] }
        let count = unsafe min(reply.pointee.len, answers.longestText)
        return unsafe UnsafeRawBufferPointer(start: start, count: count).map { $0 }
    }
}

@available(*, unavailable)
extension StoreConnection: Sendable {}

struct StoreFailure: Error {
    let fault: StoreFault
}

/// Limits on the elements of an answer. An answer with more elements than any of our scripts returns is rejected before
/// memory is allocated for it.
private enum Limits {
    /// The library's own functions for building replies. Nil if the library could not allocate memory.
    // SAFETY: a constant of the library, read only.
    nonisolated(unsafe) private static let ordinary: UnsafeMutablePointer<redisReplyObjectFunctions>? = {
        guard let reader = unsafe redisReaderCreate() else { return nil }
        defer { unsafe redisReaderFree(reader) }
        return unsafe reader.pointee.fn
    }()

    // SAFETY: made once, never freed, and read only from then on.
    nonisolated(unsafe) private static let ofQuotas = unsafe bounded { task, count in
        unsafe Limits.array(task, count, most: QuotaScript.mostElements)
    }

    // SAFETY: as `ofQuotas`.
    nonisolated(unsafe) private static let ofRecords = unsafe bounded { task, count in
        unsafe Limits.array(task, count, most: RecordScripts.mostElements)
    }

    private typealias ArrayFunction = @convention(c) (UnsafePointer<redisReadTask>?, CInt) -> UnsafeMutableRawPointer?

    private static func bounded(_ array: @escaping ArrayFunction) -> UnsafeMutablePointer<redisReplyObjectFunctions>? {
        guard let ordinary = unsafe ordinary else { return nil }
        let functions = UnsafeMutablePointer<redisReplyObjectFunctions>.allocate(capacity: 1)
        unsafe functions.initialize(to: ordinary.pointee)
        unsafe functions.pointee.createArray = array
        return unsafe functions
    }

    private static func array(_ task: UnsafePointer<redisReadTask>?, _ count: CInt, most: Int)
        -> UnsafeMutableRawPointer?
    {
        // No answer of ours contains a nested list.
        guard Int(count) <= most, unsafe task?.pointee.parent == nil, let create = unsafe ordinary?.pointee.createArray
        else { return nil }
        return unsafe create(task, count)
    }

    static func apply(_ answers: StoreConnection.Answers, to reader: UnsafeMutablePointer<redisReader>?) {
        let bounded =
            switch answers {
            case .quotas: unsafe ofQuotas
            case .records: unsafe ofRecords
            }
        guard let reader = unsafe reader, let bounded = unsafe bounded else { return }
        unsafe reader.pointee.fn = unsafe bounded
    }
}
