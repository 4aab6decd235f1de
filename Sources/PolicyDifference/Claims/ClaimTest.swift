import StrictJSON
import TokenVerification

/// One thing that is asked of the value of one claim: what two policies can tell tokens apart by.
enum ClaimTest: Hashable {
    /// It, or an element of it, is among the choice.
    case held(ClaimChoice)
    /// It, or an element of it, is among the first and not among the second; without a first, it is anything.
    case heldBeside(ClaimChoice?, not: ClaimChoice)
    /// It is there and not among the choice, in a type that can be compared.
    case excluded(ClaimChoice)
    case missing
    /// It is not found, whatever may stand in its way.
    case absent
    /// It is missing, or an empty array, which names no audience.
    case noAudience
    /// It has this word, as scopes are written.
    case word(ClaimScalar)
    case someWord
    /// It is one of these itself, and no array.
    case exact([ClaimScalar])
    /// It is a text that is not empty.
    case someText
    /// It is one of these audiences, or an array of texts with one of them.
    case addressed([ClaimScalar])
    /// It is missing, or a text that can be a subject.
    case subject(longest: Int)
    case textOrMissing
    case array
    /// It is a text with a space in it, which is one role and two scopes.
    case spacedText
    /// It has a text that is not blank.
    case content
    case below(String)
    case ending(String)
    /// It is an object with this role, granted in one of these organisations.
    case role(ClaimScalar, grantedIn: [String]?)
    /// It is an object with some such role.
    case someRole(grantedIn: [String]?)

    /// - Parameter claim: nil: there is none.
    func holds(for claim: JSONValue?) -> Bool {
        guard let claim else { return holdsForNone }
        return switch self {
        case .held(let choice): choice.isHeld(by: claim)
        case .heldBeside(let choice, let other):
            claim.contained.contains { (choice?.includes($0) ?? true) && !other.includes($0) }
        case .excluded(let choice): choice.isExcluded(by: claim)
        case .missing, .absent: false
        case .noAudience: claim.kind == .array && claim.count == 0
        case .word(let word): claim.words.contains { ClaimScalar.string($0) == word }
        case .someWord: !claim.words.isEmpty
        case .exact(let values): values.contains { $0.equals(claim) }
        case .someText: claim.string.map { !$0.isEmpty } ?? false
        case .addressed(let audiences):
            claim.kind == .array
                ? claim.elements.allSatisfy { $0.kind == .string }
                    && claim.elements.contains { element in audiences.contains { $0.equals(element) } }
                : audiences.contains { $0.equals(claim) }
        case .subject(let longest): claim.string.map { Self.isSubject($0, longest) } ?? false
        case .textOrMissing: claim.kind == .string
        case .array: claim.kind == .array
        case .spacedText: claim.string.map { $0.utf8.contains(UInt8(ascii: " ")) } ?? false
        case .content: claim.contained.contains { $0.string.map { $0.utf8.contains { $0 > 0x20 } } ?? false }
        case .below(let start): claim.string.map { ClaimRule.isPath($0, below: start) } ?? false
        case .ending(let ending):
            claim.string.map { $0.lowercased().utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) } ?? false
        case .role(let name, let organizations):
            claim.members.contains { ClaimScalar.string($0.name) == name && $0.value.isGranted(in: organizations) }
        case .someRole(let organizations): claim.members.contains { $0.value.isGranted(in: organizations) }
        }
    }

    private var holdsForNone: Bool {
        switch self {
        case .missing, .absent, .noAudience, .subject, .textOrMissing: true
        default: false
        }
    }

    private static func isSubject(_ text: String, _ longest: Int) -> Bool {
        !text.isEmpty && text.utf8.count <= longest && !text.utf8.contains { $0 < 0x20 || $0 == 0x7F }
    }
}

extension JSONValue {
    /// The elements of an array, and of anything else itself.
    fileprivate var contained: [JSONValue] { kind == .array ? Array(elements) : [self] }

    /// As scopes are written: between the spaces of a text, or the texts of an array.
    fileprivate var words: [String] {
        kind == .array
            ? elements.compactMap(\.string)
            : string?.utf8.split(separator: UInt8(ascii: " ")).map { String(Substring($0)) } ?? []
    }

    /// Whether a role with this value is granted in one of the organisations; nil: anywhere.
    fileprivate func isGranted(in organizations: [String]?) -> Bool {
        guard let organizations else { return !isNull }
        return kind == .object
            && members.contains { member in
                !member.value.isNull && organizations.contains { $0.utf8.elementsEqual(member.name.utf8) }
            }
    }
}
