import ConfigurationFile

/// A request that two configurations answer differently, with both answers.
public struct Difference: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case nowAllowed = "now_allowed"
        case nowRefused = "now_refused"
        case goesElsewhere = "goes_elsewhere"
    }

    public let kind: Kind
    public let witness: Witness
    public let old: Answer
    public let new: Answer
    /// Differences that the upstream sees. Empty unless both files forward the request.
    public let changes: [Change]

    /// Answer of one configuration to the request.
    public struct Answer: Sendable, Hashable {
        /// Status of the response; 200 if the request is forwarded.
        public let status: Int
        /// Reason of the rejection. Nil if the request is forwarded.
        public let reason: String?
        /// Reason for which the request would be refused if its rule were enforced. Nil if the rule is not only
        /// observed.
        public let would: String?
        /// Identifier of the resource. Nil if the request matches no resource.
        public let resource: String?
        public let rule: String?
        /// Location of the rule in the file, or of the resource if there is no rule. Nil if the request matches no
        /// resource.
        public let place: FilePlace?
        /// URLs of the targets that the request is forwarded to. Empty if it is not forwarded.
        public let upstream: [String]
    }

    /// A difference that the upstream sees between the two forwarded requests.
    public struct Change: Sendable, Hashable {
        public let aspect: Aspect
        /// Value with the old file. Nil if nothing is sent.
        public let old: String?
        public let new: String?
    }

    public enum Aspect: Sendable, Hashable {
        case upstream
        /// The `Host` header field.
        case host
        /// The forwarded path, before the upstream's own path is prepended.
        case path
        /// The header field that forwards the token, or the client's own `Authorization`, if any.
        case authorization
        /// An identity field, by its name in lower case.
        case field(String)

        public var name: String {
            switch self {
            case .upstream: "upstream"
            case .host: "host"
            case .path: "path"
            case .authorization: "authorization"
            case .field(let name): "identity.\(name)"
            }
        }
    }
}

extension JudgedRequest.Forwarded {
    /// Differences that the upstream sees between this forwarded request and a new one.
    func changes(to new: Self) -> [Difference.Change] {
        var changes: [Difference.Change] = []
        func compare(_ aspect: Difference.Aspect, _ old: String?, _ new: String?) {
            guard old.map({ Array($0.utf8) }) != new.map({ Array($0.utf8) }) else { return }
            changes.append(Difference.Change(aspect: aspect, old: old, new: new))
        }
        compare(.upstream, upstream.joined(separator: " "), new.upstream.joined(separator: " "))
        compare(.host, host, new.host)
        compare(.path, path, new.path)
        compare(.authorization, authorization, new.authorization)
        for name in Set(identity.keys).union(new.identity.keys).sorted() {
            compare(.field(name), identity[name], new.identity[name])
        }
        return changes
    }
}
