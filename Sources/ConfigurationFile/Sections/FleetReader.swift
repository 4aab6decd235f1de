import AccessControl
import HTTPMessages
import ProxySettings
import TokenVerification

/// Reads the load balancing of an upstream: how targets are chosen, ejected and retried.
enum FleetReader {
    static let mostTargets = 64
    static let hashExample = "write `{hash: {claim: sub}}` or `{hash: {header: X-Cart}}`"

    /// Reads the settings. Nil if something is invalid, which was then reported.
    static func read(_ section: Section<FleetKeys>, _ methods: KnownMethods) -> FleetSettings? {
        var settings = FleetSettings.defaults
        let isRight = section.assign(to: &settings)
        let retries = section.read(\.retries) { $0.isOff ? noRetries : Self.retries($0, methods) }
        retries.assign(to: &settings.retries)
        return isRight && !retries.isWrong ? settings : nil
    }

    /// Settings for `off`: no budget and no causes.
    private static let noRetries = FleetSettings.Retries(budget: 0, methods: [], causes: [])

    // MARK: Balance

    static func balance(_ value: Value) -> FleetSettings.Balance? {
        guard value.isMapping else {
            return switch value.word(FleetKeys.Balance.self) {
            case .leastRequests?: .leastRequests
            case .roundRobin?: .roundRobin
            case nil: nil
            }
        }
        guard let members = value.members() else { return nil }
        guard let member = members.first, members.count == 1, member.key == "hash" else {
            return value.refuse(
                "not a way to balance",
                hint: "write `least_requests`, `round_robin`, `{hash: {claim: sub}}` or `{hash: {header: X-Cart}}`")
        }
        guard let section = Section(member.value, of: HashKeys.self) else { return nil }
        guard let claim = section[\.claim] else { return section.required(\.header).map { .hash(.field($0)) } }
        guard section[\.header] == nil else {
            return claim.refuseMissing("a request is hashed by one thing", hint: hashExample)
        }
        return claim.claimPath().map { .hash(.claim($0.description)) }
    }

    static func hashedField(_ value: Value) -> String? {
        guard let text = value.someText(expected: "a field name such as `X-Cart`") else { return nil }
        guard FieldName(text) != nil else { return value.refuse("`\(text)` is not a field name (RFC 9110 §5.1)") }
        return text
    }

    // MARK: Ejection

    static func share(_ value: Value) -> FleetSettings.Share? {
        guard case .scalar(let scalar) = value.node.content, scalar.text == "half" else {
            return value.integer(in: 0...mostTargets).map { .count($0) }
        }
        return .half
    }

    // MARK: Retries

    private static func retries(_ value: Value, _ known: KnownMethods) -> FleetSettings.Retries? {
        guard let section = Section(value, of: RetryKeys.self) else { return nil }
        var retries = FleetSettings.Retries.defaults
        let isRight = section.assign(to: &retries)
        let methods = section.read(\.methods) { Self.methods($0, known) }
        methods.assign(to: &retries.methods)
        return isRight && !methods.isWrong ? retries : nil
    }

    static func percentage(_ value: Value) -> Int? {
        guard let text = value.someText(expected: "a percentage such as `20%`") else { return nil }
        guard text.hasSuffix("%"), let number = Int(text.dropLast()), (0...100).contains(number), "\(number)%" == text
        else { return value.refuse("`\(text)` is not a percentage", hint: "write `0%` to `100%`") }
        return number
    }

    private static func methods(_ value: Value, _ known: KnownMethods) -> [String]? {
        value.someElements(of: "method", expected: "a method or a list of methods")?.readEach { element in
            guard let text = element.someText(expected: "a method such as `GET`") else { return nil }
            do throws(MethodPatternRejection) {
                guard case .tokens([text]) = try MethodPattern(text, own: known.own) else {
                    return element.refuse("`\(text)` is not one method", hint: "name each method")
                }
                guard let problem = known.problem(of: text) else { return text }
                return element.refuse(problem)
            } catch {
                return element.refuse(error.text)
            }
        }
    }

    static func causes(_ value: Value) -> [FleetSettings.Retries.Cause]? {
        value.someElements(of: "cause", expected: "a cause or a list of causes")?.readEach {
            $0.word(FleetSettings.Retries.Cause.self)
        }
    }
}
