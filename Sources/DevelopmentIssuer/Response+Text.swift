import HTTPTypes
import Hummingbird
import NIOCore

extension Response {
    /// Makes a response with a JSON body. It must not be cached unless the given fields permit it.
    static func json(
        _ status: HTTPResponse.Status, _ text: String, type: String = "application/json",
        fields: HTTPFields = [.cacheControl: "no-store"],
    ) -> Response {
        var fields = fields
        fields[.contentType] = type
        return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
