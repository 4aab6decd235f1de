import HTTPTypes
import Hummingbird

/// Answers requests for a document, normally or with the active fault.
struct FaultyAnswers: Sendable {
    let faults: FaultSwitch
    /// The base URL of the server.
    let url: @Sendable () -> String

    /// Answers a request for a document.
    ///
    /// - Parameters:
    ///   - count: number of keys in the document, if it is a key set.
    ///   - sound: makes the valid document, without the key at this index if it is not nil.
    func publish(_ document: IssuerDocument, keys count: Int = 0, _ sound: (_ missingKey: Int?) throws -> Response)
        async throws -> Response
    {
        guard let fault = faults.next(for: document) else { return try sound(nil) }
        try await Task.sleep(for: fault.delay)
        if fault.status != nil || fault.body != nil { return answer(to: document, fault) }
        switch fault.keys {
        case .all: return try sound(nil)
        case .oneMissingInTurn: return try sound(faults.missingKey(of: count))
        }
    }

    private func answer(to document: IssuerDocument, _ fault: IssuerFault) -> Response {
        let status = HTTPResponse.Status(code: fault.status ?? 200)
        var response = Response.json(status, (fault.body ?? .junk).text)
        if status.kind == .redirection { response.headers[.location] = url() + "/moved/" + document.rawValue }
        return response
    }
}
