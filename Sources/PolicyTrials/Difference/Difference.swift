import ConfigurationFile

/// A request that two configurations answer differently, with what each makes of it.
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
        /// 200 is also that it is forwarded.
        public let status: Int
        /// Reason of the rejection. Nil if the request is forwarded.
        public let reason: String?
        /// Reason for which it would be refused if its rule were not only observed.
        public let would: String?
        /// Name of the resource in the file. Nil if the request is at no resource.
        public let resource: String?
        public let rule: String?
        /// Location of the rule in the file, or of the resource if there is no rule.
        public let place: FilePlace?
        /// The URLs of the targets that it is forwarded to.
        public let upstream: [String]
    }

    /// Something that the upstream sees otherwise.
    public struct Change: Sendable, Hashable {
        public let aspect: Aspect
        /// Value under the old file. Nil if nothing is sent.
        public let old: String?
        public let new: String?
    }

    public enum Aspect: Sendable, Hashable {
        case upstream
        /// `Host`.
        case host
        /// The path that is forwarded, before the upstream's own is put in front.
        case path
        /// Whether the token is forwarded.
        case authorization
        /// A field that states the identity, by its name in lower case.
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
    /// Differences from another value of this type.
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
