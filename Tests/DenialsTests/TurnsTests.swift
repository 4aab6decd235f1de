import Denials
import Testing

@Suite struct TurnsTests {
    private actor Diary {
        private var turns = Turns()
        private(set) var lines: [Int] = []

        /// Starts work that is suspended longer the earlier it was started.
        func take(_ number: Int, of count: Int) -> Task<Int, Never> {
            turns.take {
                for _ in number..<count { await Task.yield() }
                await self.note(number)
                return number
            }
        }

        private func note(_ number: Int) { lines.append(number) }
    }

    @Test func `tasks run one after another in order of arrival, each with its own result`() async {
        let diary = Diary()
        var tasks: [Task<Int, Never>] = []
        for number in 0..<50 { tasks.append(await diary.take(number, of: 50)) }
        for (number, task) in tasks.enumerated() { #expect(await task.value == number) }
        #expect(await diary.lines == Array(0..<50))
    }
}
