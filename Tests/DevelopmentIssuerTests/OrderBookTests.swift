import Testing

@testable import DevelopmentIssuer

struct OrderBookTests {
    @Test func `at most a thousand orders are kept, and a cancelled order makes room for another`() {
        var book = OrderBook.sample
        let wish = OrderWish(item: .tea, quantity: 1)
        for _ in 3..<OrderBook.mostOrders { _ = book.place(wish) }
        let surplus = book.place(wish)
        #expect(surplus == nil)
        let cancelled = book.cancel(1001)
        #expect(cancelled?.id == 1001)
        let next = book.place(wish)
        #expect(next?.id == 2001)
    }
}
