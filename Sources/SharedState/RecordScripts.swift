/// How texts are written to the store and read from it, and how its answers are read. No I/O.
///
/// A hash has the text of each name; a sorted set has the names in the order in which their texts were written, another
/// when each is over. Both scripts are short, whatever is kept: a page at a time.
struct RecordScripts {
    /// Answers whether it begins anew, and of each text its name, its place in the order, and itself.
    ///
    /// It begins anew for a reader without a place, and for one whose place has another name: the store was emptied, or
    /// fell back to an older state.
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

    /// Keeps the texts that are greater than those of their names, as far as their beginnings say, and forgets some
    /// that are over.
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

    /// Texts that one command reads or writes.
    static let pageSize = 50
    static let mostElements = 3 * pageSize + 1
    static let longestName = 64
    private static let longestPlace = 16

    /// Bytes at the beginning of a text that say which of two is greater.
    let orderLength: Int
    private let keys: [[UInt8]]

    /// - Parameter name: of what is shared.
    init(_ name: String, orderLength: Int) {
        self.orderLength = orderLength
        // In braces, so that a cluster would keep them together.
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

    /// What the answer to a reading says; nil: it is not one, so the store cannot be believed.
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

/// A text that processes share.
public struct SharedRecord: Sendable, Hashable {
    public let name: [UInt8]
    public let text: [UInt8]
    /// From when on nobody needs it; seconds since 1970.
    public let over: Int64

    public init(name: [UInt8], text: [UInt8], over: Int64) {
        self.name = name
        self.text = text
        self.over = over
    }
}

/// How far a reader has read.
public struct RecordCursor: Sendable, Hashable {
    let place: [UInt8]
    let name: [UInt8]
}

/// What was written since.
public struct RecordPage: Sendable, Hashable {
    /// Whether these are the first of all: what the reader knew may not be there any more.
    public let isAnew: Bool
    public let texts: [[UInt8]]
    /// nil: there is none yet.
    public let cursor: RecordCursor?
    /// Whether there was no more.
    public let isLast: Bool
}
