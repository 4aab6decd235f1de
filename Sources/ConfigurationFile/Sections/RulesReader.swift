import AccessControl
import Quotas
import RequestAuthorization
import TokenVerification

/// Rules of a resource that could be read.
struct ResourceRules {
    struct Rule {
        let route: RoutePattern
        var policy: AccessPolicy?
        /// Quotas of the rule, without those of the resource.
        let quotas: [Quota]
        /// Mode of the rule. Nil if the resource's mode applies.
        let mode: EnforcementMode?
        /// Maintenance of the rule. Nil if it has none of its own.
        let maintenance: Maintenance?
        /// Bounds of the rule, without those of the resource.
        let bounds: ForwardingBounds
        /// Response edits of the rule, without those of the resource.
        let responseEdits: ResponseEdits
        let member: Value.Member
    }

    fileprivate(set) var rules: IndexedBy<RuleIndex, Rule> = []
    /// Compiled routes. Nil if two rules conflict.
    fileprivate(set) var table: RouteTable?

    /// True if some rule needs a token. Rules that could not be read do not count: they are reported anyway, and may
    /// have been meant to be public.
    var needsToken: Bool { rules.contains { $0.policy != nil && $0.policy != .public } }

    /// Rules as they are written.
    var written: IndexedBy<RuleIndex, ConfiguredResource.WrittenRule> {
        rules.mapped { ConfiguredResource.WrittenRule(name: $0.member.key, place: $0.member.filePlace) }
    }

    /// Warns of rules for OPTIONS if `cors` answers preflights before any rule.
    func warnOfPreflights() {
        for rule in rules {
            guard case .tokens(let methods) = rule.route.methods, methods.contains("OPTIONS") else { continue }
            rule.member.warnKey(
                "`cors` answers preflights before any rule, so this one sees other OPTIONS requests alone",
                hint: "take OPTIONS out, unless the API has such requests")
        }
    }

    /// Warns if a path with `%2F` can pass only when it ends with it. Decoded it has more segments, and here no
    /// requirement covers two numbers of segments.
    func warnOfOneReading(_ value: Value?) {
        let counts = Dictionary(grouping: rules, by: \.policy).values.map { Set($0.map(\.route.path.segmentCount)) }
        guard !rules.contains(where: \.route.path.coversRest), !counts.contains(where: { $0.count > 1 }) else { return }
        value?.warn(
            "a path with `%2F` passes at most if it ends with that: decoded it has more segments, and no rule with the same requirement "
                + "covers that",
            hint: "write a rule for all readings, such as `GET /projects/**`")
    }

    /// Warns of the assumptions of `opaque`, or that it has no effect.
    func warnOfOpaqueSlashes(_ value: Value?) {
        guard rules.contains(where: \.route.path.coversAnySegment) else {
            value?.warn(
                "no rule has `{name}`, `*` or `**`, and nothing else matches a segment with `%2F`: the key changes nothing",
                hint: "take it out, or write such a rule")
            return
        }
        value?.warn(
            "nothing but this line says that the upstream, and every server before it, never decodes `%2F` or `%25` before it chooses "
                + "what to serve; one that does serves what no rule was asked about",
            hint: "write `keep`, unless you know it of each of them", weakens: .encodedSlashes)
    }

    /// Reports public rules of a resource with an issuer whose `require` asks something of every token. Both cannot be
    /// meant.
    func judgePublic(beside issuers: [NamedIssuer]) {
        for issuer in issuers where issuer.forbidsPublicRules {
            for rule in rules where rule.policy == .public { report(rule, beside: issuer) }
        }
    }

    /// Adds the requirements of issuers on each of their tokens to all rules.
    mutating func add(requirementsOf issuers: [NamedIssuer]) {
        for issuer in issuers where !issuer.required.isEmpty {
            let others = issuers.map(\.name).filter { !$0.utf8.elementsEqual(issuer.name.utf8) }
            let required = others.isEmpty ? issuer.required : [.anyOf([issuer.required, [.issuer(oneOf: others)]])]
            for (index, _) in rules.indexed {
                rules.update(index) { $0.policy = $0.policy?.adding(required) }
            }
        }
    }

    private func report(_ rule: Rule, beside issuer: NamedIssuer) {
        rule.member.reportKey(
            "a public rule looks at no token, and `\(issuer.name)` has a `require`",
            hint: "ask for a token here, or take the issuer's `require` out and write it on the other rules")
    }

    /// Policies of the rules. Used only if the file has no errors; then there is one for each rule.
    var policies: [AccessPolicy] { rules.compactMap(\.policy) }
}

/// Reads `rules`.
struct RulesReader {
    /// Most conflicts, and most rules with a narrow end, that are reported at once. Each is compared with all rules.
    private static let mostCompared = 50

    static func read(
        _ section: Section<ResourceKeys>, policies: NamedPolicies, issuers: NamedIssuers, quotas: NamedQuotas,
        methods: KnownMethods,
        parameters: PathParameters, forwarding: RuleForwardingReader
    ) -> ResourceRules? {
        guard let value = section.required(\.rules),
            let members = value.members(
                expected: "a mapping of `METHODS PATH` to what it needs",
                hint: { "write each rule as `GET /path: SCOPE`, without `-`" })
        else { return nil }
        if members.isEmpty {
            value.reportMissing("there is no rule", hint: "without one every request is answered 403")
        }
        let common = RequirementReader(policies: policies, issuers: issuers.names, parameters: nil).part
        let required = section[\.require].flatMap(common.policy)
        var rules = ResourceRules()
        for member in members {
            let route = route(member, methods)
            // Nested keys: the value below is not a requirement.
            guard route != nil || RouteSlip.joinedKey(member) == nil else { continue }
            let requirements = RequirementReader(
                policies: policies, issuers: issuers.names, parameters: route.map(\.path.parameterNames),
                namesWithoutValue: route?.path.namesWithoutValue ?? [])
            var policy = requirements.policy(member.value)
            if let required {
                requirements.judgeParameters(of: required, member.value)
                policy = policy.flatMap { add(required, to: $0, member) }
            }
            let own = quotas.named(member.value.member(\RequirementKeys.quotas))
            let mode = mode(of: member, policy)
            let maintenance = member.value.member(\RequirementKeys.maintenance).flatMap(MaintenanceReader.read)
            guard let route else { continue }
            rules.rules.append(
                ResourceRules.Rule(
                    route: route, policy: policy, quotas: own, mode: mode, maintenance: maintenance,
                    bounds: forwarding.bounds(of: member.value), responseEdits: forwarding.edits(of: member.value),
                    member: member))
        }
        rules.table = table(&rules.rules)
        PartsOfSegments(of: rules, limit: mostCompared)?.report()
        warn(rules, parameters)
        return rules
    }

    private static func mode(of rule: Value.Member, _ policy: AccessPolicy?) -> EnforcementMode? {
        guard let value = rule.value.member(\RequirementKeys.mode) else { return nil }
        if policy == .public {
            value.reportMissing("a public rule refuses nobody, so there is nothing to observe", hint: "take `mode` out")
        }
        return ModeReader.read(value)
    }

    /// Adds the requirements of the resource's `require` to a rule's policy. Nil for a public rule, which is reported
    /// as an error.
    private static func add(_ required: AccessPolicy, to policy: AccessPolicy, _ rule: Value.Member) -> AccessPolicy? {
        guard policy != .public else {
            return rule.refuseKey(
                "a public rule looks at no token, and the resource has a `require`",
                hint: "ask for a token here, or write what is required on the other rules instead")
        }
        return policy.adding(required.requirements ?? [])
    }

    private static func route(_ member: Value.Member, _ methods: KnownMethods) -> RoutePattern? {
        do {
            let route = try RoutePattern(member.key, ownMethods: methods.own)
            let problems = route.methods.tokens.compactMap(methods.problem)
            for problem in problems { member.reportKey(problem) }
            return problems.isEmpty ? route : nil
        } catch {
            return member.refuseKey(RouteSlip.text(of: member, error))
        }
    }

    /// Compiles the rules. Of two conflicting rules the second one is reported and removed, so that further conflicts
    /// are found. Nil after `mostCompared` conflicts.
    private static func table(_ rules: inout IndexedBy<RuleIndex, ResourceRules.Rule>) -> RouteTable? {
        for _ in 0..<mostCompared {
            do throws(RouteConflict) {
                return try RouteTable(rules.map(\.route))
            } catch {
                guard let first = rules[error.first]?.member, let second = rules.remove(at: error.second)?.member else {
                    return nil
                }
                second.reportKey("cannot be told apart from `\(first.key)` at \(first.value.keyPosition)")
            }
        }
        return nil
    }

    private static func warn(_ rules: ResourceRules, _ parameters: PathParameters) {
        for rule in rules.rules.lazy.filter(\.route.path.endsNarrowly).prefix(mostCompared) {
            guard let end = NarrowEnd(rule, among: rules.rules) else { continue }
            rule.member.noteKey(end.message, hint: end.hint)
        }
        let unreachable = Set(rules.table?.unreachableRules ?? [])
        for (index, rule) in rules.rules.indexed {
            if unreachable.contains(index) {
                rule.member.warnKey("this rule never matches: more specific ones take all its requests")
            } else if rule.route.path.hasParameters {
                parameters.judge(rule.member, "this rule never matches")
            }
            if let lookalikes = PatternLookalikes(in: rule.member.path) {
                rule.member.warnKey(
                    lookalikes.message,
                    hint:
                        "write \(lookalikes.replacement), or \(lookalikes.escaped) for the literal: paths are no regular expressions"
                )
            }
        }
    }
}
