/// Commands that write shared texts to the store and read them, and parsing of its answers. No I/O.
///
/// A hash holds the text of each name. One sorted set orders the names by when their texts were written, another by
/// when they expire. Both scripts are short however much is stored: they handle a page at a time.
struct RecordScripts {
    /// Script that reads a page. It returns a flag for a restart, then name, sequence number and text of each record.
    ///
    /// Reading restarts from the beginning for a reader without a cursor. It also does if the cursor's sequence number
    /// has another name: the store was emptied, or fell back to an older state.
    static let read = """
        local place, isAnew = ARGV[1], 0
        if place ~= '0' then
          local there = redis.call('ZRANGEBYSCORE', KEYS[2], place, place, 'LIMIT', 0, 1)
          if there[1] ~= ARGV[2] then place = '0' end
        end
        if place == '0' then isAnew = 1 end
        local found = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. place, '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[3])
        local answer = {isAnew}
        for index = 1, #found, 2 do
          answer[#answer + 1] = found[index]
          answer[#answer + 1] = found[index + 1]
          answer[#answer + 1] = redis.call('HGET', KEYS[1], found[index]) or ''
        end
        return answer
        """

    /// Script that writes texts. It stores those that are greater than the existing text of their name, compared by
    /// their first bytes. It also removes some expired texts.
    static let write = """
        local now = redis.call('TIME')[1]
        for _, name in ipairs(redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', now, 'LIMIT', 0, 100)) do
          redis.call('HDEL', KEYS[1], name)
          redis.call('ZREM', KEYS[2], name)
          redis.call('ZREM', KEYS[3], name)
        end
        local last = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
        local place = tonumber(last[2] or 0)
        local length = tonumber(ARGV[1])
        for index = 2, #ARGV, 3 do
          local name, over, text = ARGV[index], ARGV[index + 1], ARGV[index + 2]
          local known = redis.call('HGET', KEYS[1], name)
          if not known or string.sub(known, 1, length) < string.sub(text, 1, length) then
            place = place + 1
            redis.call('HSET', KEYS[1], name, text)
            redis.call('ZADD', KEYS[2], place, name)
            redis.call('ZADD', KEYS[3], over, name)
          end
        end
        return {1}
        """

    /// Number of texts that one command reads or writes.
    static let pageSize = 50
    static let mostElements = 3 * pageSize + 1
    static let longestName = 64
    private static let longestPlace = 16

    /// Number of bytes at the beginning of a text that are compared to find the greater of two.
    let orderLength: Int
    private let keys: [[UInt8]]

    /// - Parameter name: the name of the shared collection.
    init(_ name: String, orderLength: Int) {
        self.orderLength = orderLength
        // In braces, so that a cluster keeps the keys on one node.
        keys = ["texts", "order", "over"].map { Array("bearward:{\(name)}:\($0)".utf8) }
    }

    func reading(after cursor: RecordCursor?, digest: [UInt8]) -> [[UInt8]] {
        command(digest) + [cursor?.place ?? [UInt8(ascii: "0")], cursor?.name ?? [], Array("\(Self.pageSize)".utf8)]
    }

    func writing(_ records: [SharedRecord], digest: [UInt8]) -> [[UInt8]] {
        command(digest) + [Array("\(orderLength)".utf8)]
            + records.flatMap { [$0.name, Array("\($0.over)".utf8), $0.text] }
    }

    private func command(_ digest: [UInt8]) -> [[UInt8]] {
        [Array("EVALSHA".utf8), digest, Array("\(keys.count)".utf8)] + keys
    }

    /// Parses the answer to a read command. Nil if it is malformed, so the store cannot be trusted.
    static func page(_ answer: StoreValue, after cursor: RecordCursor?) -> RecordPage? {
        guard case .list(let values) = answer, case .integer(let isAnew)? = values.first, isAnew == 0 || isAnew == 1,
            values.count % 3 == 1, values.count <= mostElements
        else { return nil }
        let parts = values.dropFirst().compactMap { if case .text(let text) = $0 { text } else { nil } }
        guard parts.count == values.count - 1 else { return nil }
        var texts: [[UInt8]] = []
        var cursor = cursor
        for index in stride(from: 0, to: parts.count, by: 3) {
            let (name, place) = (parts[index], parts[index + 1])  // in bounds: a multiple of three
            guard (1...longestName).contains(name.count), isPlace(place) else { return nil }
            cursor = RecordCursor(place: place, name: name)
            texts.append(parts[index + 2])  // in bounds: a multiple of three
        }
        return RecordPage(isAnew: isAnew == 1, texts: texts, cursor: cursor, isLast: texts.count < pageSize)
    }

    private static func isPlace(_ text: [UInt8]) -> Bool {
        (1...longestPlace).contains(text.count)
            && text.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    static func isWritten(_ answer: StoreValue) -> Bool { answer == .list([.integer(1)]) }
}

/// A named text that processes share.
public struct SharedRecord: Sendable, Hashable {
    public let name: [UInt8]
    public let text: [UInt8]
    /// Time after which the text is no longer needed, in seconds since 1970.
    public let over: Int64

    public init(name: [UInt8], text: [UInt8], over: Int64) {
        self.name = name
        self.text = text
        self.over = over
    }
}

/// Position up to which a reader has read: sequence number and name of the last record.
public struct RecordCursor: Sendable, Hashable {
    let place: [UInt8]
    let name: [UInt8]
}

/// Records that were written after a reader's position.
public struct RecordPage: Sendable, Hashable {
    /// True if reading restarted from the beginning: records that the reader knew may no longer exist.
    public let isAnew: Bool
    public let texts: [[UInt8]]
    /// Position for the next read. Nil if nothing was read yet.
    public let cursor: RecordCursor?
    /// True if there are no further records.
    public let isLast: Bool
}
