import KeySets
import Testing

struct KeyAnswerTests {
    private static let (soon, late) = (Duration.seconds(3), Duration.seconds(7))

    @Test(
        arguments: [
            (.keysChanged, .confirmedUnknown, .keysChanged),
            (.keysChanged, .unavailable(retryAfter: soon), .keysChanged),
            (.keysChanged, .notAsked(retryAfter: soon), .keysChanged),
            (.confirmedUnknown, .confirmedUnknown, .confirmedUnknown),
            (.confirmedUnknown, .unavailable(retryAfter: soon), .unavailable(retryAfter: soon)),
            (.confirmedUnknown, .notAsked(retryAfter: soon), .notAsked(retryAfter: soon)),
            (.unavailable(retryAfter: late), .unavailable(retryAfter: soon), .unavailable(retryAfter: soon)),
            (.unavailable(retryAfter: late), .notAsked(retryAfter: soon), .unavailable(retryAfter: late)),
            (.notAsked(retryAfter: late), .notAsked(retryAfter: soon), .notAsked(retryAfter: soon)),
        ] as [(KeyAnswer, KeyAnswer, KeyAnswer)])
    func `a key found in one key set is found; it is unknown only if all key sets agree`(
        one: KeyAnswer, other: KeyAnswer, merged: KeyAnswer
    ) {
        #expect(one.merged(with: other) == merged)
        #expect(other.merged(with: one) == merged)
    }
}
