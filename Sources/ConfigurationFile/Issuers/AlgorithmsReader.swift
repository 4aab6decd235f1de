import JOSE

/// Reads `algorithms`.
enum AlgorithmsReader {
    static let form = KeyForm(
        .list(.words(known)), read, absence: { .value("[\($0.algorithms.map(\.rawValue).joined(separator: ", "))]") })

    private static let known = SignatureAlgorithm.allCases.map(\.rawValue) + ["EdDSA"]

    private static func read(_ value: Value) -> SignatureAlgorithmSet? {
        value.someElements(of: "algorithm")?.readEach(algorithm)?.reduce(into: []) { $0.formUnion($1) }
    }

    private static func algorithm(_ value: Value) -> SignatureAlgorithmSet? {
        guard let name = value.someText() else { return nil }
        if let algorithms = SignatureAlgorithmSet(name: name) { return algorithms }
        let upper = name.uppercased()
        if upper == "NONE" {
            value.report("`\(name)` is never accepted: anyone can make unsigned tokens")
        } else if upper.hasPrefix("HS") {
            value.report(
                "`\(name)` is never accepted: whoever can verify such a token can also make one",
                hint: "use RS256, PS256, ES256 or EdDSA")
        } else {
            let hint =
                NearestName.of(name, among: known).map { "did you mean `\($0)`?" }
                ?? "known: \(known.joined(separator: ", "))"
            value.report("`\(name)` is not a known algorithm", hint: hint)
        }
        return nil
    }
}
