import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// An answer with a JSON body that nobody may keep, unless the fields say otherwise.
    static func json(
        _ status: HTTPResponse.Status, _ text: String, type: String = "application/json", fields: HTTPFields = [.cacheControl: "no-store"],
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
