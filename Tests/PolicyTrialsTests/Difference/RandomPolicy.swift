/// A small file as its parts, so that one of them can be generated anew.
struct RandomPolicy {
    struct Resource {
        let name: String
        /// Each key with its value, in YAML.
        var keys: [String: String]
        /// Each `METHODS PATH` with its requirement.
        var rules: [String: String]
    }

    /// Each issuer with its keys.
    var issuers: [String: String]
    /// A policy that rules can name.
    var policy: String
    var resources: [Resource]

    var yaml: String {
        var lines = ["listen: 127.0.0.1:8080", "issuers:"]
        lines += issuers.sorted { $0.key < $1.key }.map { "  \($0.key): {\($0.value)}" }
        lines += ["policies:", "  named: \(policy)", "resources:"]
        for resource in resources {
            lines.append("  \(resource.name):")
            lines += resource.keys.sorted { $0.key < $1.key }.map { "    \($0.key): \($0.value)" }
            lines.append("    rules:")
            lines += resource.rules.sorted { $0.key < $1.key }.map { "      \"\($0.key)\": \($0.value)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
