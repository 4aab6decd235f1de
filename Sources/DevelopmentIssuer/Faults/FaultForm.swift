/// Reads the parameters of `POST /fault`, a request to misbehave.
///
/// `name=` is one of ``NamedFault``; `status=300…599`, `body=junk|empty|huge|object` and `delay=…ms` (or `…s`) override
/// parts of it. `document=discovery|jwks` selects a document; by default both, or those of the named fault. `count=N`
/// is the number of faulty answers; by default all. `clear=true` or `name=clear` removes all faults.
struct FaultForm {
    private let parameters: FormParameters

    /// The requested change: a fault, or the removal of all faults.
    enum Wish: Sendable, Hashable {
        case set(IssuerFault)
        case clear
    }

    init(_ parameters: FormParameters) {
        self.parameters = parameters
    }

    func wish() throws(FaultFormRejection) -> Wish {
        if parameters["clear"] == "true" || parameters["name"] == "clear" { return .clear }
        let name: NamedFault? = try parameters.choice("name", else: FaultFormRejection.unknownName)
        let named = name?.fault
        let document: IssuerDocument? = try parameters.choice("document", else: FaultFormRejection.unknownDocument)
        let fault = IssuerFault(
            of: document.map { [$0] } ?? named?.documents ?? Set(IssuerDocument.allCases),
            status: try status() ?? named?.status,
            body: try parameters.choice("body", else: FaultFormRejection.unknownBody) ?? named?.body,
            keys: named?.keys ?? .all, delay: try delay() ?? named?.delay ?? .zero,
            answers: try answers())
        guard fault.status != nil || fault.body != nil || fault.delay > .zero || fault.keys != .all else {
            throw .nothingAskedFor
        }
        return .set(fault)
    }

    private func status() throws(FaultFormRejection) -> Int? {
        guard let text = parameters["status"] else { return nil }
        guard let status = Int(text), (300...599).contains(status) else { throw .statusOutOfRange }
        return status
    }

    private func delay() throws(FaultFormRejection) -> Duration? {
        guard let text = parameters["delay"] else { return nil }
        let isSeconds = text.hasSuffix("s") && !text.hasSuffix("ms")
        let digits = text.hasSuffix("ms") ? text.dropLast(2) : isSeconds ? text.dropLast() : text[...]
        guard let number = Int(digits), (0...(isSeconds ? 120 : 120_000)).contains(number) else {
            throw .delayOutOfRange
        }
        return isSeconds ? .seconds(number) : .milliseconds(number)
    }

    private func answers() throws(FaultFormRejection) -> Int? {
        guard let text = parameters["count"] else { return nil }
        guard let count = Int(text), count > 0 else { throw .countOutOfRange }
        return count
    }
}

/// Reason why the parameters of `POST /fault` are invalid.
enum FaultFormRejection: Error, Hashable, Sendable {
    case nothingAskedFor
    case unknownName
    case unknownDocument
    case statusOutOfRange
    case unknownBody
    case delayOutOfRange
    case countOutOfRange

    var description: String {
        switch self {
        case .nothingAskedFor: "Say name, status, body or delay, or clear=true"
        case .unknownName: "name must be down, slow, garbage, flap, empty or clear"
        case .unknownDocument: "document must be discovery or jwks"
        case .statusOutOfRange: "status must be from 300 to 599"
        case .unknownBody: "body must be junk, empty, huge or object"
        case .delayOutOfRange: "delay must be from 0ms to 120000ms"
        case .countOutOfRange: "count must be a positive number"
        }
    }
}
