import CARES
import NetworkNames

/// What the library's callbacks record, until it has returned: it must not be entered from within itself.
final class AnswerList {
    var list: [(ResolverChannel.Question, RecordAnswer)] = []
}

/// A question that the library has, and what becomes of it.
final class PendingQuestion {
    private let question: ResolverChannel.Question
    private let name: String
    private let answers: AnswerList

    init(_ question: ResolverChannel.Question, _ name: String, _ answers: AnswerList) {
        self.question = question
        self.name = name
        self.answers = answers
    }

    /// - Parameter message: the answer as it was received; empty if there is none.
    func end(_ status: CInt, _ message: UnsafeBufferPointer<UInt8>) {
        let answer: RecordAnswer =
            switch status {
            case ARES_SUCCESS: unsafe read(message)
            // A completed name may be too long.
            case ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME: .none
            default: failure(status)
            }
        answers.list.append((question, answer))
    }

    private func failure(_ status: CInt) -> RecordAnswer {
        .failed("\(RecordType(question.family).text) records of \(name): \(ResolverFailure(status).text)")
    }

    private func read(_ message: UnsafeBufferPointer<UInt8>) -> RecordAnswer {
        // The library lets some response codes pass as if there was no error (RFC 1035 §4.1.1).
        guard message.count > 11, unsafe message[3] & 0x0F == 0 else { return failure(ARES_EBADRESP) }
        let records = unsafe Int(message[6]) << 8 | Int(message[7])
        // The shortest record with an address has 15 bytes.
        let most = min(records, message.count / 15) + 1
        let (status, found) =
            switch question.family {
            case .ipv4: unsafe ipv4(message, most)
            case .ipv6: unsafe ipv6(message, most)
            }
        guard status == ARES_SUCCESS || status == ARES_ENODATA else { return failure(status) }
        guard let seconds = found.map(\.seconds).min() else { return .none }
        var seen: Set<IPAddress> = []
        return .addresses(found.map(\.address).filter { seen.insert($0).inserted }, seconds: seconds)
    }

    private typealias Found = [(address: IPAddress, seconds: Int)]

    private func ipv4(_ message: UnsafeBufferPointer<UInt8>, _ most: Int) -> (CInt, Found) {
        var records = [ares_addrttl](repeating: ares_addrttl(), count: most)
        var count = CInt(clamping: most)
        // SAFETY: the library writes as many records as there are places for.
        let status = unsafe ares_parse_a_reply(
            message.baseAddress, CInt(clamping: message.count), nil, &records, &count)
        return (
            status,
            records.prefix(Int(max(0, count))).map {
                (IPAddress(ipv4: UInt32(bigEndian: $0.ipaddr.s_addr)), Int($0.ttl))
            }
        )
    }

    private func ipv6(_ message: UnsafeBufferPointer<UInt8>, _ most: Int) -> (CInt, Found) {
        var records = [ares_addr6ttl](repeating: ares_addr6ttl(), count: most)
        var count = CInt(clamping: most)
        // SAFETY: as above.
        let status = unsafe ares_parse_aaaa_reply(
            message.baseAddress, CInt(clamping: message.count), nil, &records, &count)
        return (
            status,
            records.prefix(Int(max(0, count))).map { record in
                (unsafe withUnsafeBytes(of: record.ip6addr) { unsafe IPAddress(networkOrder: $0) }, Int(record.ttl))
            }
        )
    }
}
