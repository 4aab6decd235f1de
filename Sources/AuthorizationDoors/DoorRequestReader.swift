import HTTPMessages
import RequestAuthorization

/// Rebuilds, from a forward auth proxy's question, the head of the request that it asks about, as if the client had
/// sent it to the gateway.
///
/// The head is written anew and parsed by the gateway's usual parser, so all its checks apply. Ambiguous heads are
/// rejected, so that the proxy and Bearward cannot read a request differently. Storage is reused from one question to
/// the next.
public struct DoorRequestReader: ~Copyable, Sendable {
    private var writer = HeadWriter()
    private var parser: RequestHeadParser
    /// The fault of the last stated request, and its location. Nil if there was none, or the request was valid.
    public private(set) var fault: HeadFault?

    /// - Parameter limits: head limits of a request, as for requests to the gateway itself.
    public init(limits: HeadLimits) {
        parser = RequestHeadParser(limits: limits)
    }

    /// Replaces the head of the question by the head of the request that it asks about.
    ///
    /// - Throws: the answer to a question that cannot be judged; the head is then still the question's.
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

    /// Replaces the head of a gRPC call by the head of the request that its message asks about.
    ///
    /// - Throws: the answer to a question that cannot be judged; the head is then still the call's.
    public mutating func read(_ question: CheckQuestion, into head: inout RequestHead) throws(Rejection) {
        fault = nil
        guard question.write(into: &writer) else { throw Rejection(.door(.requestInvalid)) }
        try exchange(for: &head)
    }

    /// Parses the written head, and swaps it in.
    private mutating func exchange(for head: inout RequestHead) throws(Rejection) {
        parser.reset()
        guard try parse() == .complete else { throw Rejection(.door(.requestInvalid)) }
        parser.exchange(for: &head)
    }

    /// Text about a question that is ``DoorFault/requestInvalid``: its fault, and fields of other door kinds that
    /// were ignored. Made on demand.
    public static func detail(of head: borrowing RequestHead, at door: DoorKind) -> String {
        var fault = DoorQuestionFault.notWritable
        do throws(DoorQuestionFault) { _ = try DoorQuestion(head, at: door) } catch { fault = error }
        let stated = door.fields?.all ?? [FieldName(.xForwardedProto)]
        let known = [DoorFields.original.all, DoorFields.forwarded.all].joined()
        let others = known.filter { !stated.contains($0) && head.section.first($0) != nil }
        guard !others.isEmpty else { return fault.description }
        let names = others.map { "`\(String(decoding: $0.spelling, as: UTF8.self))`" }.joined(separator: ", ")
        return "\(fault); ignored, because another kind of door reads them: \(names)"
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

    /// Writes the request. False if a stated value is invalid in a request line.
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

    /// True if the field may be the client's own. Others are about the proxy's connection, or about a body that it does
    /// not send.
    private static func isClients(_ field: HeaderField) -> Bool {
        guard let known = field.known else { return true }
        return known != .host && !known.isFraming && (!known.isHopByHop || known.asksForUpgrade)
    }
}

extension HeadLimits {
    /// Head limits of a question at a door: those of the request, plus space for the fields that state it.
    public func ofQuestion(at door: DoorKind) -> HeadLimits {
        var limits = self
        limits.targetField = door.fields?.target
        limits.head = head &+ target &+ Self.statement
        // A field that is too long for the request is rejected when the rebuilt head is parsed.
        limits.field = limits.head
        limits.fields = fields &+ Self.statedFields
        return limits
    }

    /// Most bytes of an Envoy check message: the head, with its line and names stated twice, and other attributes.
    var ofMessage: Int { (head &+ target) &* 2 &+ Self.attributes }

    private static let attributes = 64 * 1024

    /// Bytes reserved for the fields that state the request, without its target; then the number of these fields and of
    /// the proxy's own.
    private static let statement = 4 * 1024
    private static let statedFields = 16
}
