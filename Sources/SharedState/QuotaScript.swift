import JOSE
import Quotas

/// Commands for the quota store (a Redis script), and parsing of its answers. No I/O.
///
/// One script charges a request to all of its accounts or to none. It uses the store's clock, so that processes whose
/// clocks differ agree. Times are whole microseconds, which a Lua number holds exactly. The rules are those of
/// `QuotaRate`.
struct QuotaScript {
    static let text = """
        local now = redis.call('TIME')
        now = now[1] * 1000000 + now[2]
        local times, worst, wait = {}, 0, 0
        for index, key in ipairs(KEYS) do
          local interval, capacity = tonumber(ARGV[2 * index - 1]), tonumber(ARGV[2 * index])
          local time = tonumber(redis.call('GET', key) or now)
          time = math.min(math.max(time, now), now + capacity) + interval
          times[index] = time
          if time - now - capacity > wait then worst, wait = index, time - now - capacity end
        end
        if worst > 0 then return {0, worst, wait} end
        local answer = {1}
        for index, key in ipairs(KEYS) do
          redis.call('SET', key, string.format('%.0f', times[index]), 'PX', math.ceil((times[index] - now) / 1000) + 1)
          answer[index + 1] = times[index] - now
        end
        return answer
        """

    /// Most accounts that one request can have.
    static let mostAccounts = 32
    /// Most elements of an answer: one number for each account, and three others.
    static let mostElements = mostAccounts + 3

    private let pseudonyms: Pseudonyms

    /// - Parameter secret: key under which the names of callers are hashed. Nil is returned if it is too short.
    init?(secret: [UInt8]) {
        guard let pseudonyms = Pseudonyms(secret: secret) else { return nil }
        self.pseudonyms = pseudonyms
    }

    /// The command that charges a request. Nil if the cryptographic library failed, or there are too many accounts.
    ///
    /// - Parameter digest: the name of the script in the store.
    func command(_ charges: [QuotaCharge], digest: [UInt8]) -> [[UInt8]]? {
        guard charges.count <= Self.mostAccounts else { return nil }
        var words: [[UInt8]] = [Array("EVALSHA".utf8), digest, Array("\(charges.count)".utf8)]
        for charge in charges {
            guard let key = key(of: charge.account) else { return nil }
            words.append(key)
        }
        for charge in charges {
            let rate = SharedRate(charge.rate)
            words.append(Array("\(rate.interval)".utf8))
            words.append(Array("\(rate.capacity)".utf8))
        }
        return words
    }

    private func key(of account: QuotaAccount) -> [UInt8]? {
        var bytes: [UInt8] = []
        for word in [account.quota, account.high, account.low] {
            for shift in stride(from: 56, through: 0, by: -8) {
                bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(shift)))
            }
        }
        return pseudonyms.pseudonym(of: bytes.span).map { Array("bearward:".utf8) + $0.prefix(32) }
    }

    /// Parses the answer to a command. Nil if it is malformed or impossible, so the store cannot be trusted.
    static func verdict(_ answer: StoreValue, on charges: [QuotaCharge]) -> QuotaVerdict? {
        guard case .list(let values) = answer, case .integer(let isGranted)? = values.first else { return nil }
        let numbers = values.dropFirst().compactMap { if case .integer(let number) = $0 { number } else { nil } }
        guard numbers.count == values.count &- 1 else { return nil }
        switch isGranted {
        case 0:
            guard numbers.count == 2, let charge = Int(exactly: numbers[0] &- 1), charges.indices.contains(charge)
            else { return nil }
            guard numbers[1] > 0, numbers[1] <= SharedRate(charges[charge].rate).interval else { return nil }
            return .exceeded(QuotaStanding(charge: charge, remaining: 0, wait: .microseconds(numbers[1])))
        case 1:
            guard numbers.count == charges.count else { return nil }
            return granted(charges, times: numbers)
        default: return nil
        }
    }

    private static func granted(_ charges: [QuotaCharge], times: [Int64]) -> QuotaVerdict? {
        var least = QuotaStanding(charge: 0, remaining: .max, wait: .zero)
        for (index, (time, charge)) in zip(times, charges).enumerated() {
            let rate = SharedRate(charge.rate)
            guard time > 0, time <= rate.capacity else { return nil }
            let remaining = Int((rate.capacity &- time) / rate.interval)
            guard remaining < least.remaining else { continue }
            let wait = remaining > 0 ? time : time &+ rate.interval &- rate.capacity
            least = QuotaStanding(
                charge: index, remaining: remaining, wait: .microseconds(wait),
                isLow: remaining <= charge.rate.burst / 2)
        }
        return .granted(least)
    }
}

/// A quota rate in whole microseconds; the interval is rounded up.
private struct SharedRate {
    let interval: Int64
    let capacity: Int64

    private static let longestCapacity: Int64 = 31_622_400_000_000

    init(_ rate: QuotaRate) {
        interval = (rate.interval &- 1) / 1000 &+ 1
        let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(rate.burst))
        let most = Self.longestCapacity
        capacity = max(interval, overflow ? most : min(product, most))
    }
}

/// Value of the store's protocol (RESP 2).
enum StoreValue: Sendable, Hashable {
    case integer(Int64)
    case text([UInt8])
    case list([StoreValue])
    case error(String)
    case null
}
