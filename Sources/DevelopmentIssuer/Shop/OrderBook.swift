import StrictJSON

/// All orders of the shop, the oldest first.
struct OrderBook: Sendable, Hashable {
    private var orders: [Order]
    private var nextID: Int

    /// Maximum number of orders. Beyond it new ones are refused until one is cancelled.
    static let mostOrders = 1000

    static let sample = OrderBook(
        orders: [
            Order(id: 1001, item: .mug, quantity: 2, status: "shipped"),
            Order(id: 1002, item: .teapot, quantity: 1, status: "packed"),
            Order(id: 1003, item: .tea, quantity: 6, status: "open"),
        ],
        nextID: 1004,
    )

    func order(_ id: Int) -> Order? {
        orders.first { order in order.id == id }
    }

    /// Adds an order. Nil if the book is full.
    mutating func place(_ wish: OrderWish) -> Order? {
        guard orders.count < Self.mostOrders else { return nil }
        let order = Order(id: nextID, item: wish.item, quantity: wish.quantity, status: "open")
        orders.append(order)
        nextID += 1
        return order
    }

    /// Removes and returns an order. Nil if there is none with this ID.
    mutating func cancel(_ id: Int) -> Order? {
        guard let place = orders.firstIndex(where: { order in order.id == id }) else { return nil }
        return orders.remove(at: place)
    }

    var json: String {
        JSONObjectWriter.text { writer, bytes in
            writer.objects("orders", orders, into: &bytes) { order, writer, bytes in
                order.write(with: &writer, into: &bytes)
            }
        }
    }
}
