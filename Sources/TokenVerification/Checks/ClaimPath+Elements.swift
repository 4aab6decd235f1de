import StrictJSON

/// Claims at a path with `*`, which stands for every element of an array.
extension ClaimPath {
    /// The claims that the path leads to. One at most, unless the path ``isMultiple``. Null claims are left out.
    public func values(in claims: JSONValue) -> [JSONValue] { reached(in: claims).values }

    /// True if the claims at this path pass the test together: one of them does. For ``ClaimTest/excluded(_:)`` each
    /// does, and every element has one.
    func passes(_ test: ClaimTest, in claims: JSONValue) -> Bool {
        guard isMultiple else {
            return test == .missing ? isAbsent(in: claims) : test.holds(for: value(in: claims))
        }
        switch test {
        case .missing: return isAbsent(in: claims)
        case .excluded:
            let reached = reached(in: claims)
            return reached.isComplete && reached.values.allSatisfy(test.holds)
        default: return values(in: claims).contains(where: test.holds)
        }
    }

    /// The claims in JSON, for people. Nil if there are none.
    public func shown(in claims: JSONValue) -> String? {
        let values = values(in: claims)
        guard !values.isEmpty else { return nil }
        return values.map { String(decoding: $0.serialized(), as: UTF8.self) }.joined(separator: ", ")
    }

    private struct Reached {
        var values: [JSONValue] = []
        /// True if each way led to a claim.
        var isComplete = true
    }

    private func reached(in claims: JSONValue) -> Reached {
        var reached = Reached()
        collect(names[...], in: claims, &reached)
        return reached
    }

    private func collect(_ rest: ArraySlice<String>, in value: JSONValue, _ reached: inout Reached) {
        guard let name = rest.first else {
            if value.isNull { reached.isComplete = false } else { reached.values.append(value) }
            return
        }
        if name == Self.everyElement, isMultiple {
            guard value.kind == .array else { return reached.isComplete = false }
            for element in value.elements { collect(rest.dropFirst(), in: element, &reached) }
        } else if let next = value.child(named: name) {
            collect(rest.dropFirst(), in: next, &reached)
        } else {
            reached.isComplete = false
        }
    }
}
