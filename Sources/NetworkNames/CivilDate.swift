/// A date in the proleptic Gregorian calendar.
public struct CivilDate: Sendable, Hashable {
    /// The astronomical year: 0 is 1 BC.
    public let year: Int
    /// The month, 1 to 12.
    public let month: Int
    /// The day of the month, 1 to 31.
    public let day: Int
    /// The day of the week, 0 for Sunday.
    public let weekday: Int

    /// - Parameter days: at most 10¹⁵ in either direction.
    public init(daysSince1970 days: Int) {
        // If years begin in March, the leap day is the last day. All eras of 400 years are alike.
        let (era, dayOfEra) = (days &+ 719_468).floorDivided(by: 146_097)
        let yearOfEra = (dayOfEra &- dayOfEra / 1460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let shiftedMonth = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* shiftedMonth &+ 2) / 5 &+ 1
        month = shiftedMonth < 10 ? shiftedMonth &+ 3 : shiftedMonth &- 9
        year = era &* 400 &+ yearOfEra &+ (month <= 2 ? 1 : 0)
        // 1970 began on a Thursday.
        weekday = (days &+ 4).floorDivided(by: 7).remainder
    }
}

extension Int {
    fileprivate func floorDivided(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient &- 1, remainder &+ divisor) : (quotient, remainder)
    }
}
