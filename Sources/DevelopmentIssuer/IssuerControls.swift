import HTTPTypes
import Hummingbird
import JOSESigning
import StrictJSON

/// Endpoints with which a developer controls a running server. Parameters are in the query or in a form.
struct IssuerControls: Sendable {
    let faults: FaultSwitch
    let rotation: @Sendable (OldKeys) throws(SigningFailure) -> RotatedKeys

    func add(to router: Router<BasicRequestContext>) {
        router.post("/rotate") { request, _ in await rotate(request) }
        router.post("/fault") { request, _ in await fault(request) }
    }

    /// `POST /rotate`: replaces the signing keys. With `drop=true` the earlier ones are no longer published.
    private func rotate(_ request: Request) async -> Response {
        guard let parameters = await Self.parameters(of: request) else {
            return Self.refusal("The parameters are malformed")
        }
        let oldKeys: OldKeys
        switch parameters["drop"] {
        case nil, "false": oldKeys = .stayPublished
        case "true": oldKeys = .areDropped
        default: return Self.refusal("drop must be true or false")
        }
        guard let keys = try? rotation(oldKeys) else {
            return Self.refusal("No key could be made", .internalServerError)
        }
        return .json(
            .ok,
            JSONObjectWriter.text { writer, bytes in
                writer.member("kid", string: keys.keyID, into: &bytes)
                writer.member("published", strings: keys.published, into: &bytes)
            },
        )
    }

    /// `POST /fault`: sets a fault of answers (``FaultForm``). `clear=true` or `name=clear` removes all faults.
    private func fault(_ request: Request) async -> Response {
        guard let parameters = await Self.parameters(of: request) else {
            return Self.refusal("The parameters are malformed")
        }
        do throws(FaultFormRejection) {
            switch try FaultForm(parameters).wish() {
            case .clear: faults.clear()
            case .set(let fault): faults.set(fault)
            }
        } catch {
            return Self.refusal(error.description)
        }
        let documents = faults.documents.map(\.rawValue)
        return .json(
            .ok, JSONObjectWriter.text { writer, bytes in writer.member("faulty", strings: documents, into: &bytes) })
    }

    private static func parameters(of request: Request) async -> FormParameters? {
        guard let form = await request.form() else { return nil }
        return FormParameters([request.uri.query ?? "", form].joined(separator: "&"))
    }

    private static func refusal(_ text: String, _ status: HTTPResponse.Status = .badRequest) -> Response {
        .json(status, JSONObjectWriter.text { writer, bytes in writer.member("error", string: text, into: &bytes) })
    }
}

/// IDs of the keys after a rotation.
struct RotatedKeys: Sendable, Hashable {
    /// ID of the new signing key. If there are several, the one that signs the first sample.
    let keyID: String
    let published: [String]
}
