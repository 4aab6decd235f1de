import HTTPTypes
import Hummingbird
import JOSESigning
import StrictJSON

/// What a developer may do to the running issuer. Parameters stand in the query or in a form.
extension IssuerEndpoints {
    /// `POST /rotate`: new keys; `drop=true` withdraws the earlier ones.
    func rotate(_ request: Request) async -> Response {
        guard let parameters = await Self.controlParameters(of: request) else { return Self.refusal("The parameters are malformed") }
        let oldKeys: OldKeys
        switch parameters["drop"] {
        case nil, "false": oldKeys = .stayPublished
        case "true": oldKeys = .areDropped
        default: return Self.refusal("drop must be true or false")
        }
        guard let keyID = try? state.rotate(oldKeys) else { return Self.refusal("No key could be made", .internalServerError) }
        let published = state.publishedKeys.map(\.keyID)
        return .json(
            .ok,
            JSONObjectText.make { writer, bytes in
                writer.member("kid", string: keyID, into: &bytes)
                writer.member("published", strings: published, into: &bytes)
            },
        )
    }

    /// `POST /fault`: makes answers go wrong (``FaultForm``); `clear=true` ends that.
    func fault(_ request: Request) async -> Response {
        guard let parameters = await Self.controlParameters(of: request) else { return Self.refusal("The parameters are malformed") }
        do throws(FaultFormRejection) {
            switch try FaultForm(parameters).order() {
            case .clear: state.clearFaults()
            case .set(let fault): state.set(fault)
            }
        } catch {
            return Self.refusal(error.description)
        }
        let documents = state.faultyDocuments.map(\.rawValue)
        return .json(.ok, JSONObjectText.make { writer, bytes in writer.member("faulty", strings: documents, into: &bytes) })
    }

    private static func controlParameters(of request: Request) async -> FormParameters? {
        guard let form = await form(of: request) else { return nil }
        return FormParameters([request.uri.query ?? "", form].joined(separator: "&"))
    }

    private static func refusal(_ text: String, _ status: HTTPResponse.Status = .badRequest) -> Response {
        .json(status, JSONObjectText.make { writer, bytes in writer.member("error", string: text, into: &bytes) })
    }
}
