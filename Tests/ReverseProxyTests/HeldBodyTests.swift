import NIOCore
import Testing

@testable import ReverseProxy

struct HeldBodyTests {
    private let budget = HeldBodyBudget()

    /// Limits for one body, and for all bodies together.
    private func limits(_ each: Int, total: Int = 1 << 20) -> HeldBody.Limits {
        HeldBody.Limits(each: each, total: total)
    }

    private func keep(_ text: String, in held: inout HeldBody, _ limits: HeldBody.Limits) -> HeldBody.Loss? {
        held.keep(BodyPart(content: ByteBuffer(string: text), isLast: false), limits: limits, budget: budget)
    }

    // MARK: One body

    @Test func `body parts are held in order, up to exactly the limit`() {
        var held = HeldBody()
        #expect(held.keep(BodyPart(content: nil, isLast: false), limits: limits(4), budget: budget) == nil)
        #expect(held.isWhole && held.content == nil)
        #expect(keep("ab", in: &held, limits(4)) == nil)
        #expect(keep("cd", in: &held, limits(4)) == nil)
        #expect(held.isWhole && held.content == ByteBuffer(string: "abcd"))
    }

    @Test func `a body over the limit is released, and its later parts are not held as a whole body`() {
        var held = HeldBody()
        #expect(keep("abcd", in: &held, limits(4)) == nil)
        #expect(keep("e", in: &held, limits(4)) == .tooLarge)
        #expect(!held.isWhole && held.content == nil)
        #expect(keep("f", in: &held, limits(4)) == nil)
        #expect(!held.isWhole && held.content == nil)
        #expect(budget.byteCount == 0)
    }

    @Test func `an empty body is complete under a limit of zero`() {
        var held = HeldBody()
        _ = held.keep(BodyPart(content: nil, isLast: true), limits: limits(0), budget: budget)
        #expect(held.isWhole)
        #expect(keep("a", in: &held, limits(0)) == .tooLarge)
        #expect(!held.isWhole)
    }

    @Test func `trailers are held with the content, and count towards the limit`() {
        let lines = Array("a: b\r\n".utf8)
        var held = HeldBody()
        _ = keep("ab", in: &held, limits(8))
        #expect(
            held.keep(BodyPart(content: nil, isLast: true, trailers: lines), limits: limits(8), budget: budget) == nil)
        #expect(held.isWhole && held.trailers == lines)
        held.letGo()
        #expect(held.trailers.isEmpty && budget.byteCount == 0)
        held = HeldBody()
        _ = keep("abc", in: &held, limits(8))
        #expect(
            held.keep(BodyPart(content: nil, isLast: true, trailers: lines), limits: limits(8), budget: budget)
                == .tooLarge)
        #expect(!held.isWhole && held.trailers.isEmpty && budget.byteCount == 0)
    }

    @Test func `content taken for a replay does not change when more parts arrive`() {
        var held = HeldBody()
        _ = keep("ab", in: &held, limits(8))
        let sent = held.content
        _ = keep("cd", in: &held, limits(8))
        #expect(sent == ByteBuffer(string: "ab") && held.content == ByteBuffer(string: "abcd"))
    }

    // MARK: All bodies

    @Test func `all bodies together may use exactly the budget, and a further body is not held`() {
        let limits = limits(64, total: 128)
        var bodies = [HeldBody(), HeldBody(), HeldBody()]
        let text = String(repeating: "x", count: 64)
        #expect(keep(text, in: &bodies[0], limits) == nil)
        #expect(keep(text, in: &bodies[1], limits) == nil)
        #expect(budget.byteCount == 128)
        #expect(keep("x", in: &bodies[2], limits) == .budgetSpent)
        #expect(!bodies[2].isWhole && budget.byteCount == 128)
        #expect(bodies[0].isWhole && bodies[1].isWhole)
        // A released body frees budget for others.
        bodies[0].letGo()
        #expect(budget.byteCount == 64)
        var next = HeldBody()
        #expect(keep(text, in: &next, limits) == nil)
        #expect(budget.byteCount == 128)
    }

    @Test func `a body that grows past the budget is released completely`() {
        var (first, second) = (HeldBody(), HeldBody())
        let limits = limits(1024, total: 100)
        _ = keep(String(repeating: "x", count: 64), in: &first, limits)
        #expect(keep(String(repeating: "x", count: 32), in: &second, limits) == nil)
        #expect(budget.byteCount == 96)
        #expect(keep("x", in: &second, limits) == .budgetSpent)
        #expect(budget.byteCount == 64)
    }

    @Test func `trailers count towards the budget`() {
        var held = HeldBody()
        let lines = [UInt8](repeating: 120, count: 9)
        #expect(
            held.keep(
                BodyPart(content: nil, isLast: true, trailers: lines), limits: limits(64, total: 8), budget: budget)
                == .budgetSpent)
        #expect(budget.byteCount == 0)
    }

    @Test func `the budget is charged for buffer capacity, however small the body parts are`() {
        var held = HeldBody()
        var most = 0
        for count in 1...1000 {
            _ = keep("x", in: &held, limits(1024))
            #expect(budget.byteCount == held.content?.storageCapacity, "\(count)")
            most = max(most, budget.byteCount)
        }
        #expect(most == 1024)
    }

    @Test func `a held body that is dropped returns its bytes to the budget`() {
        do {
            var held = HeldBody()
            _ = keep("abc", in: &held, limits(8))
            #expect(budget.byteCount == 4)
        }
        #expect(budget.byteCount == 0)
    }
}
