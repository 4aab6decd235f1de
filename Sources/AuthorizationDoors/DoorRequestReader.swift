import HTTPMessages
import RequestAuthorization

/// Makes of a proxy's question the head of the request that it asks about, as the client would have sent it to the
/// gateway itself.
///
/// The head is written anew and parsed by the parser of the data path, so that all of its checks hold here: what is
/// ambiguous is refused, and a proxy that reads it differently cannot be split from the judge. Storage is kept from one
/// question to the next.
public struct DoorRequestReader: ~Copyable, Sendable {
    private var writer = HeadWriter()
    private var parser: RequestHeadParser
    /// The fault of the last request that was stated, and its place. Nil if there was none, or it was read.
    public private(set) var fault: HeadFault?

    /// - Parameter limits: of a request's head, as on the data path.
    public init(limits: HeadLimits) {
        parser = RequestHeadParser(limits: limits)
    }

    /// Puts the request in the place of the question about it.
    ///
    /// - Throws: the answer to a question that cannot be judged; the head is still the question's.
    public mutating func read(_ head: inout RequestHead, at door: DoorKind) throws(Rejection) {
        fault = nil
        do throws(DoorQuestionFault) {
            let question = try DoorQuestion(head, at: door)
            guard write(question, of: head) else { throw .notWritable }
        } catch {
            throw Rejection(.door(.requestInvalid))
        }
        try exchange(for: &head)
    }

    /// Puts the request that a message asks about in the place of the call that has brought it.
    ///
    /// - Throws: the answer to a question that cannot be judged; the head is still the call's.
    public mutating func read(_ question: CheckQuestion, into head: inout RequestHead) throws(Rejection) {
        fault = nil
        guard question.write(into: &writer) else { throw Rejection(.door(.requestInvalid)) }
        try exchange(for: &head)
    }

    /// Parses what was written.
    private mutating func exchange(for head: inout RequestHead) throws(Rejection) {
        parser.reset()
        guard try parse() == .complete else { throw Rejection(.door(.requestInvalid)) }
        parser.exchange(for: &head)
    }

    /// Why a question is ``DoorRejection/requestInvalid``, and which fields of other doors were not looked at: told
    /// where it is asked for.
    public static func detail(of head: borrowing RequestHead, at door: DoorKind) -> String {
        var fault = DoorQuestionFault.notWritable
        do throws(DoorQuestionFault) { _ = try DoorQuestion(head, at: door) } catch { fault = error }
        let stated = door.fields?.all ?? [FieldName(.xForwardedProto)]
        let known = [DoorFields.original.all, DoorFields.forwarded.all].joined()
        let others = known.filter { !stated.contains($0) && head.section.first($0) != nil }
        guard !others.isEmpty else { return fault.description }
        let names = others.map { "`\(String(decoding: $0.spelling, as: UTF8.self))`" }.joined(separator: ", ")
        return "\(fault); not looked at, because another kind of door reads them: \(names)"
    }

    private mutating func parse() throws(Rejection) -> ParsingProgress {
        let bytes = writer.bytes
        do throws(RequestHeadRejection) {
            return try parser.parse(bytes.span)
        } catch {
            fault = parser.fault(in: bytes.span)
            throw Rejection(.message(error.fault))
        }
    }

    /// Writes the request; false if what is stated cannot stand in a request line.
    private mutating func write(_ question: DoorQuestion, of head: borrowing RequestHead) -> Bool {
        let section = head.section
        let bytes = section.bytes.span
        writer.reset()
        guard
            writer.requestLine(method: bytes.extracting(question.method), received: bytes.extracting(question.target)),
            writer.field("Host", bytes.extracting(question.host))
        else { return false }
        writer.copy(section) { field in Self.isClients(field) && !question.isStated(by: field) }
        writer.finish()
        return true
    }

    /// Whether a field may be the client's own. The others are about the proxy's connection, or a body that it does not
    /// send.
    private static func isClients(_ field: HeaderField) -> Bool {
        guard let known = field.known else { return true }
        return known != .host && !known.isFraming && (!known.isHopByHop || known.asksForUpgrade)
    }
}

extension HeadLimits {
    /// The limits of a question at a door: the request's, with space for the fields that state it.
    public func ofQuestion(at door: DoorKind) -> HeadLimits {
        var limits = self
        limits.targetField = door.fields?.target
        limits.head = head &+ target &+ Self.statement
        // What is too long of the request is found when that is read.
        limits.field = limits.head
        limits.fields = fields &+ Self.statedFields
        return limits
    }

    /// The bytes of a message of Envoy's: the head, whose line and names stand there twice, and what else it states.
    var ofMessage: Int { (head &+ target) &* 2 &+ Self.attributes }

    private static let attributes = 64 * 1024

    /// Bytes of the fields that state the request, besides its target; and how many fields state it, or are the proxy's
    /// own.
    private static let statement = 4 * 1024
    private static let statedFields = 16
}
