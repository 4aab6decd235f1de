import HTTPTypes
import Hummingbird
import NIOCore
import StrictJSON
import Synchronization

/// HTTP endpoints of the shop, with one method each.
final class ShopEndpoints: Sendable {
    private let orders = Mutex(OrderBook.sample)

    private static let longestOrder = 4 * 1024

    var router: Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.add(middleware: RequestIdentifierEcho())
        router.get("/orders") { [self] _, _ in Response.json(.ok, orders.withLock { orders in orders.json }) }
        // Every organization sees the same orders; access control is the gateway's task.
        router.get("/orgs/{org}/orders") { [self] _, _ in Response.json(.ok, orders.withLock { orders in orders.json })
        }
        router.get("/orders/{id}") { [self] _, context in order(context) }
        router.post("/orders") { [self] request, _ in await placeOrder(request) }
        router.delete("/orders/{id}") { [self] _, context in cancelOrder(context) }
        router.get("/catalog") { _, _ in Response.json(.ok, CatalogueItem.json) }
        router.get("/status") { _, _ in Response.json(.ok, #"{"status":"open"}"#) }
        router.get("/me") { request, _ in Self.identity(request) }
        return router
    }

    private func order(_ context: BasicRequestContext) -> Response {
        let found = context.parameters.get("id", as: Int.self).flatMap { id in
            orders.withLock { orders in orders.order(id) }
        }
        guard let found else { return Self.refusal(.notFound, "no such order") }
        return .json(.ok, found.json)
    }

    private func cancelOrder(_ context: BasicRequestContext) -> Response {
        let cancelled = context.parameters.get("id", as: Int.self).flatMap { id in
            orders.withLock { orders in orders.cancel(id) }
        }
        guard cancelled != nil else { return Self.refusal(.notFound, "no such order") }
        return Response(status: .noContent)
    }

    private func placeOrder(_ request: Request) async -> Response {
        guard let body = try? await request.body.collect(upTo: Self.longestOrder) else {
            return Self.refusal(.contentTooLarge, "an order is at most 4 KiB")
        }
        guard let wish = OrderWish(parsing: Array(body.readableBytesView)) else {
            return Self.refusal(.badRequest, #"an order is like {"item":"mug","quantity":2}; see /catalog"#)
        }
        guard let order = orders.withLock({ orders in orders.place(wish) }) else {
            return Self.refusal(.serviceUnavailable, "the order book is full")
        }
        return .json(.created, order.json, fields: [.location: "/orders/\(order.id)", .cacheControl: "no-store"])
    }

    /// Answers with the identity that the gateway forwarded: every `X-Auth-` field, and whether credentials were
    /// forwarded.
    private static func identity(_ request: Request) -> Response {
        let names = Set(request.headers.map(\.name)).filter { name in name.canonicalName.hasPrefix("x-auth-") }
        let text = JSONObjectWriter.text { writer, bytes in
            writer.beginObject("identity", into: &bytes)
            for name in names.sorted(by: { left, right in left.canonicalName < right.canonicalName }) {
                writer.member(name.rawName, string: request.headers[values: name].joined(separator: ", "), into: &bytes)
            }
            writer.end(into: &bytes)
            writer.member("authorization_received", boolean: request.headers[.authorization] != nil, into: &bytes)
        }
        return .json(.ok, text)
    }

    private static func refusal(_ status: HTTPResponse.Status, _ text: String) -> Response {
        .json(status, JSONObjectWriter.text { writer, bytes in writer.member("error", string: text, into: &bytes) })
    }
}

/// Returns `X-Request-Id` in the response, so that a client sees which ID its request had.
private struct RequestIdentifierEcho: RouterMiddleware {
    func handle(
        _ request: Request, context: BasicRequestContext, next: (Request, BasicRequestContext) async throws -> Response,
    ) async throws -> Response {
        var response = try await next(request, context)
        guard let name = HTTPField.Name("X-Request-Id"), let identifier = request.headers[name] else { return response }
        response.headers[name] = identifier
        return response
    }
}
