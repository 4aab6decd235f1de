import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// A response with a JSON body that must not be cached unless the fields allow it.
    static func json(
        _ status: HTTPResponse.Status, _ text: String, type: String = "application/json",
        fields: HTTPFields = [.cacheControl: "no-store"],
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
