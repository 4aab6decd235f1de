import AccessControl
import HTTPMessages
import ProxySettings
import TokenVerification

/// Reads how the targets of an upstream are chosen, left out and tried again.
enum FleetReader {
    static let mostTargets = 64
    static let hashExample = "write `{hash: {claim: sub}}` or `{hash: {header: X-Cart}}`"

    /// nil: something is wrong, and was reported.
    static func read(_ section: Section<FleetKey>, _ methods: KnownMethods) -> FleetSettings? {
        let balance = section.read(.balance, Self.balance).or(.leastRequests)
        let ejection = section.orOff(.eject) { section.read($0, Self.ejection) }.or(FleetSettings.Ejection())
        let retries = section.orOff(.retries) { section.read($0) { Self.retries($0, methods) } }
        let health = section.read(.health, HealthReader.read)
        let slowStart = section.duration(.slowStart).or(.zero)
        let connections = section.read(.connections, Self.connections)
        guard let balance, let slowStart, !retries.isWrong, !health.isWrong, !connections.isWrong, let ejection else {
            return nil
        }
        // Off is a budget and causes of nothing.
        let none = FleetSettings.Retries(budget: 0, methods: [], causes: [])
        return FleetSettings(
            balance: balance, ejection: ejection,
            retries: retries.map { $0 ?? none }.or(FleetSettings.Retries()) ?? none,
            health: health.value, slowStart: slowStart, connections: connections.value)
    }

    private static func connections(_ value: Value) -> FleetSettings.Connections? {
        guard let section = Section(value, of: ConnectionsKey.self) else { return nil }
        let (waiting, wait) = (section.integer(.waiting), section.duration(.wait))
        guard section.required(.most) != nil, let most = section.integer(.most).value else { return nil }
        var connections = FleetSettings.Connections(most: most)
        waiting.assign(to: &connections.waiting)
        wait.assign(to: &connections.wait)
        return waiting.isWrong || wait.isWrong ? nil : connections
    }

    // MARK: Balance

    private static func balance(_ value: Value) -> FleetSettings.Balance? {
        guard value.isMapping else {
            return switch value.word(FleetKey.Balance.self) {
            case .leastRequests?: .leastRequests
            case .roundRobin?: .roundRobin
            case nil: nil
            }
        }
        guard let members = value.members() else { return nil }
        guard let member = members.first, members.count == 1, member.key == "hash" else {
            value.report(
                "not a way to balance",
                hint: "write `least_requests`, `round_robin`, `{hash: {claim: sub}}` or `{hash: {header: X-Cart}}`")
            return nil
        }
        guard let section = Section(member.value, of: HashKey.self) else { return nil }
        if let claim = section[.claim] {
            guard section[.header] == nil else {
                claim.reportMissing("a request is hashed by one thing", hint: FleetReader.hashExample)
                return nil
            }
            return claim.claimPath().map { .hash(.claim($0.description)) }
        }
        guard let field = section.required(.header),
            let text = field.someText(expected: "a field name such as `X-Cart`")
        else {
            return nil
        }
        guard FieldName(text) != nil else {
            field.report("`\(text)` is not a field name (RFC 9110 §5.1)")
            return nil
        }
        return .hash(.field(text))
    }

    // MARK: Ejection

    private static func ejection(_ value: Value) -> FleetSettings.Ejection? {
        guard let section = Section(value, of: EjectionKey.self) else { return nil }
        var ejection = FleetSettings.Ejection()
        let (failures, duration, most) = (
            section.integer(.failures), section.duration(.duration), section.read(.most, share)
        )
        failures.assign(to: &ejection.failures)
        duration.assign(to: &ejection.duration)
        most.assign(to: &ejection.most)
        return failures.isWrong || duration.isWrong || most.isWrong ? nil : ejection
    }

    private static func share(_ value: Value) -> FleetSettings.Share? {
        guard case .scalar(let scalar) = value.node.content, scalar.text == "half" else {
            return value.integer(in: 0...mostTargets).map { .count($0) }
        }
        return .half
    }

    // MARK: Retries

    private static func retries(_ value: Value, _ known: KnownMethods) -> FleetSettings.Retries? {
        guard let section = Section(value, of: RetryKey.self) else { return nil }
        var retries = FleetSettings.Retries()
        let (budget, causes) = (section.read(.budget, Self.percentage), section.read(.causes, Self.causes))
        let methods = section.read(.methods) { Self.methods($0, known) }
        budget.assign(to: &retries.budget)
        methods.assign(to: &retries.methods)
        causes.assign(to: &retries.causes)
        return budget.isWrong || methods.isWrong || causes.isWrong ? nil : retries
    }

    private static func percentage(_ value: Value) -> Int? {
        guard let text = value.someText(expected: "a percentage such as `20%`") else { return nil }
        guard text.hasSuffix("%"), let number = Int(text.dropLast()), (0...100).contains(number), "\(number)%" == text
        else {
            value.report("`\(text)` is not a percentage", hint: "write `0%` to `100%`")
            return nil
        }
        return number
    }

    private static func methods(_ value: Value, _ known: KnownMethods) -> [String]? {
        guard let elements = value.someElements(of: "method", expected: "a method or a list of methods") else {
            return nil
        }
        let methods = elements.compactMap { element -> String? in
            guard let text = element.someText(expected: "a method such as `GET`") else { return nil }
            do throws(MethodPatternRejection) {
                guard case .tokens([text]) = try MethodPattern(text, own: known.own) else {
                    element.report("`\(text)` is not one method", hint: "name each method")
                    return nil
                }
                guard let problem = known.problem(of: text) else { return text }
                element.report(problem)
                return nil
            } catch {
                element.report(error.text)
                return nil
            }
        }
        return methods.count == elements.count ? methods : nil
    }

    private static func causes(_ value: Value) -> [FleetSettings.Retries.Cause]? {
        guard let elements = value.someElements(of: "cause", expected: "a cause or a list of causes") else {
            return nil
        }
        let causes = elements.compactMap { $0.word(FleetSettings.Retries.Cause.self) }
        return causes.count == elements.count ? causes : nil
    }
}
