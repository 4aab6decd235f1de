import KeySets
import Testing

struct KeyAnswerTests {
    @Test(
        arguments: [
            (.keysChanged, .confirmedUnknown, .keysChanged), (.keysChanged, .unavailable(retryAfter: .seconds(3)), .keysChanged),
            (.confirmedUnknown, .confirmedUnknown, .confirmedUnknown),
            (.confirmedUnknown, .unavailable(retryAfter: .seconds(3)), .unavailable(retryAfter: .seconds(3))),
            (.unavailable(retryAfter: .seconds(7)), .unavailable(retryAfter: .seconds(3)), .unavailable(retryAfter: .seconds(3))),
        ] as [(KeyAnswer, KeyAnswer, KeyAnswer)])
    func `found in one is found, and unknown is only what none knows`(one: KeyAnswer, other: KeyAnswer, merged: KeyAnswer) {
        #expect(one.merged(with: other) == merged)
        #expect(other.merged(with: one) == merged)
    }
}
