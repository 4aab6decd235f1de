import CARES
import NetworkNames

/// Answers that c-ares reported through callbacks, collected until its call returns. Callbacks must not call c-ares
/// again.
final class AnswerList {
    var list: [(ResolverChannel.Question, RecordAnswer)] = []
}

/// Question that c-ares has not answered yet.
final class PendingQuestion {
    private let question: ResolverChannel.Question
    private let name: String
    private let answers: AnswerList

    init(_ question: ResolverChannel.Question, _ name: String, _ answers: AnswerList) {
        self.question = question
        self.name = name
        self.answers = answers
    }

    /// Records the answer to the question.
    ///
    /// - Parameter message: the DNS message as received. Empty if there is none.
    func end(_ status: CInt, _ message: UnsafeBufferPointer<UInt8>) {
        let answer: RecordAnswer =
            switch status {
            case ARES_SUCCESS: unsafe read(message)
            // A name that the search list completed may be too long.
            case ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME: .none
            default: failure(status)
            }
        answers.list.append((question, answer))
    }

    private func failure(_ status: CInt) -> RecordAnswer {
        .failed("\(RecordType(question.family).text) records of \(name): \(ResolverFailure(status).text)")
    }

    private func read(_ message: UnsafeBufferPointer<UInt8>) -> RecordAnswer {
        // c-ares reports success for some response codes that are errors (RFC 1035 §4.1.1).
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
        // SAFETY: the library writes at most as many records as the array has.
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
