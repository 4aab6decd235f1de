import StrictJSON

/// One thing that can be asked of a claims set: a closed vocabulary, in which profiles say what their tokens look like.
///
/// What is absent or of another type never meets a rule that asks for something.
public enum ClaimRule: Sendable, Hashable {
    /// At least one of these has content: a string that is not blank, or an array with such a string.
    case some([ClaimPath])
    /// The claim, or an element of it, has one of these values.
    case oneOf(ClaimPath, [ClaimScalar])
    /// The claim itself has one of these values: for what a token can only be one of.
    case exactly(ClaimPath, [ClaimScalar])
    /// The claim, or an element of it, is among the choice.
    case among(ClaimPath, ClaimChoice)
    /// The claim is there and not among the choice, in a type that can be compared with it; neither is an element of
    /// it.
    case otherThan(ClaimPath, ClaimChoice)
    /// None of these is there, nor anything that could be meant by them.
    case missing([ClaimPath])
    /// The claim is absent, or has none of these values.
    case noneOf(ClaimPath, [ClaimScalar])
    /// The claim is a string that continues another with one or more segments, each `/` and letters, digits, `.`, `-`
    /// or `_`; none is `.` or `..`. At most 2,048 bytes.
    case pathBelow(ClaimPath, String)
    /// None of these is there.
    case absent([ClaimPath])
    /// The two are not the same string.
    case different(ClaimPath, ClaimPath)
    /// The claim is not a string that ends so.
    case notEnding(ClaimPath, String)
    /// Some role is granted in one of these organisations, or another claim names one of them: an object of roles, each
    /// an object whose members are named for organisations.
    case granted(roles: ClaimPath, or: ClaimPath, in: [String])
    /// The user flow that the claims name is accepted.
    case policy(PolicyRule)

    /// Whether a text is what ``pathBelow(_:_:)`` asks for.
    public static func isPath(_ text: String, below start: String) -> Bool {
        guard text.utf8.count <= 2048, text.utf8.starts(with: start.utf8) else { return false }
        let rest = text.utf8.dropFirst(start.utf8.count)
        guard rest.first == UInt8(ascii: "/") else { return false }
        return rest.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy(
            isSegment)
    }

    private static func isSegment(_ segment: Substring.UTF8View) -> Bool {
        let isDots = segment.count <= 2 && segment.allSatisfy { $0 == UInt8(ascii: ".") }
        return !isDots
            && segment.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// Whether it holds.
    public func holds(for claims: ClaimsSet) -> Bool {
        let json = claims.json
        switch self {
        case .some(let paths): return paths.contains { $0.value(in: json)?.hasContent ?? false }
        case .oneOf(let path, let values):
            guard let claim = path.value(in: json) else { return false }
            return values.contains { $0.isHeld(by: claim) }
        case .exactly(let path, let values):
            guard let claim = path.value(in: json) else { return false }
            return values.contains { $0.equals(claim) }
        case .among(let path, let choice): return path.value(in: json).map { choice.isHeld(by: $0) } ?? false
        case .otherThan(let path, let choice): return path.value(in: json).map { choice.isExcluded(by: $0) } ?? false
        case .missing(let paths): return paths.allSatisfy { $0.isAbsent(in: json) }
        case .noneOf(let path, let values):
            guard let claim = path.value(in: json) else { return true }
            return !values.contains { $0.isHeld(by: claim) }
        case .pathBelow(let path, let start):
            return path.value(in: json)?.string.map { Self.isPath($0, below: start) } ?? false
        case .absent(let paths): return paths.allSatisfy { $0.value(in: json) == nil }
        case .different(let one, let other):
            guard let text = one.value(in: json)?.string, let claim = other.value(in: json) else { return true }
            return !claim.isString(equalTo: text)
        case .notEnding(let path, let ending):
            guard let text = path.value(in: json)?.string else { return true }
            return !text.lowercased().utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        case .granted(let roles, let other, let organizations):
            if let owner = other.value(in: json), organizations.contains(where: { owner.isString(equalTo: $0) }) {
                return true
            }
            return roles.value(in: json)?.members.contains { role in role.value.names(oneOf: organizations) } ?? false
        case .policy(let rule): return rule.keySet(of: claims) != nil
        }
    }
}

extension ClaimRule {
    /// The claims that an operator may ask about by it.
    public var paths: [ClaimPath] {
        switch self {
        case .oneOf(let path, _), .exactly(let path, _), .among(let path, _), .otherThan(let path, _),
            .noneOf(let path, _),
            .pathBelow(let path, _), .notEnding(let path, _):
            [path]
        case .some(let paths), .missing(let paths), .absent(let paths): paths
        case .different, .granted, .policy: []
        }
    }
}

/// A rule for an issuer's claims, and what a token is refused for that breaks it.
public struct ClaimCheck: Sendable, Hashable {
    public let rule: ClaimRule
    public let rejection: TokenRejection

    public init(_ rule: ClaimRule, else rejection: TokenRejection) {
        self.rule = rule
        self.rejection = rejection
    }
}

extension JSONValue {
    fileprivate var hasContent: Bool {
        switch kind {
        case .string: withStringBytes { bytes in bytes.indices.contains { bytes[$0] > 0x20 } } ?? false
        case .array: elements.contains { $0.kind == .string && $0.hasContent }
        default: false
        }
    }

    /// Whether it is an object with a member named for one of these.
    func names(oneOf names: [String]) -> Bool {
        kind == .object
            && members.contains { member in
                !member.value.isNull && names.contains { $0.utf8.elementsEqual(member.name.utf8) }
            }
    }
}
