import KeySets
import Testing
import TokenVerification

@Suite struct BackoffTests {
    @Test(arguments: zip([0, 1, 2, 3, 4, 5, 6, 7, 8, 1000], [1, 1, 2, 4, 8, 16, 32, 60, 60, 60]))
    func `retry delays double from one second to a minute`(failures: Int, seconds: Int) {
        #expect(Backoff().delay(afterFailures: failures, jitter: 0.5) == .seconds(seconds))
    }

    @Test(arguments: [(0.0, 0.9), (1.0, 1.1), (-7.0, 0.9), (7.0, 1.1)])
    func `jitter changes a delay by at most a tenth`(jitter: Double, expected: Double) {
        #expect(abs(Backoff().delay(afterFailures: 1, jitter: jitter).inSeconds - expected) < 1e-9)
    }

    @Test func `no retry delay is longer than the maximum`() {
        #expect(Backoff().delay(afterFailures: 20, jitter: 1) == .seconds(60))
        #expect(abs(Backoff().delay(afterFailures: 20, jitter: 0).inSeconds - 54) < 1e-9)
    }
}
