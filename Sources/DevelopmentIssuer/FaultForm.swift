/// Reads an order to misbehave: `document=discovery|jwks` (default both), `status=300…599`, `body=junk|empty|huge`, `delay=…ms`,
/// `count=N` answers (default all), or `clear=true`.
struct FaultForm {
    private let parameters: FormParameters

    enum Order: Sendable, Hashable {
        case set(IssuerFault)
        case clear
    }

    init(_ parameters: FormParameters) {
        self.parameters = parameters
    }

    func order() throws(FaultFormRejection) -> Order {
        if parameters["clear"] == "true" { return .clear }
        let fault = IssuerFault(of: try documents(), status: try status(), body: try body(), delay: try delay(), answers: try answers())
        guard fault.status != nil || fault.body != nil || fault.delay > .zero else { throw .nothingAskedFor }
        return .set(fault)
    }

    private func documents() throws(FaultFormRejection) -> Set<IssuerDocument> {
        guard let name = parameters["document"] else { return Set(IssuerDocument.allCases) }
        guard let document = IssuerDocument(rawValue: name) else { throw .unknownDocument }
        return [document]
    }

    private func status() throws(FaultFormRejection) -> Int? {
        guard let text = parameters["status"] else { return nil }
        guard let status = Int(text), (300...599).contains(status) else { throw .statusOutOfRange }
        return status
    }

    private func body() throws(FaultFormRejection) -> FaultyBody? {
        guard let name = parameters["body"] else { return nil }
        guard let body = FaultyBody(rawValue: name) else { throw .unknownBody }
        return body
    }

    private func delay() throws(FaultFormRejection) -> Duration {
        guard let text = parameters["delay"] else { return .zero }
        let digits = text.hasSuffix("ms") ? text.dropLast(2) : text[...]
        guard let milliseconds = Int(digits), (0...120_000).contains(milliseconds) else { throw .delayOutOfRange }
        return .milliseconds(milliseconds)
    }

    private func answers() throws(FaultFormRejection) -> Int? {
        guard let text = parameters["count"] else { return nil }
        guard let count = Int(text), count > 0 else { throw .countOutOfRange }
        return count
    }
}

/// Why an order to misbehave is not followed.
enum FaultFormRejection: Error, Hashable, Sendable {
    case nothingAskedFor
    case unknownDocument
    case statusOutOfRange
    case unknownBody
    case delayOutOfRange
    case countOutOfRange

    var description: String {
        switch self {
        case .nothingAskedFor: "Say status, body or delay, or clear=true"
        case .unknownDocument: "document must be discovery or jwks"
        case .statusOutOfRange: "status must be from 300 to 599"
        case .unknownBody: "body must be junk, empty or huge"
        case .delayOutOfRange: "delay must be from 0ms to 120000ms"
        case .countOutOfRange: "count must be a positive number"
        }
    }
}
