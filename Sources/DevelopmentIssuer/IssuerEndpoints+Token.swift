import FoundationEssentials
import HTTPTypes
import Hummingbird
import StrictJSON

extension IssuerEndpoints {
    /// Answers a token request (RFC 6749 §3.2).
    func token(_ request: Request) async -> Response {
        do throws(TokenEndpointError) {
            let form = try TokenForm(try await request.declaredForm(), authorization: request.headers[.authorization])
            return try answer(to: try form.tokenRequest())
        } catch {
            return error.response
        }
    }

    private func answer(to request: TokenRequest) throws(TokenEndpointError) -> Response {
        let token = try minted(request)
        let text = JSONObjectWriter.text { writer, bytes in
            writer.member("access_token", string: token, into: &bytes)
            writer.member("token_type", string: "Bearer", into: &bytes)
            writer.member("expires_in", integer: max(0, request.lifetime.components.seconds), into: &bytes)
            if !request.scopes.isEmpty {
                writer.member("scope", string: request.scopes.joined(separator: " "), into: &bytes)
            }
        }
        return .json(.ok, text)
    }

    private func minted(_ request: TokenRequest) throws(TokenEndpointError) -> String {
        do throws(MintingFailure) {
            return try state.mint(request, at: Int(Date().timeIntervalSince1970))
        } catch {
            throw TokenEndpointError(error)
        }
    }
}
