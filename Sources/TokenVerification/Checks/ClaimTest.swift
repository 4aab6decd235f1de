import ByteWords
import StrictJSON

/// Test of the value of one claim. A null claim counts as absent.
///
/// All rules about claims consist of these tests: those of issuers and those of configuration files. `bearward diff`
/// uses them to construct tokens that two files judge differently.
public enum ClaimTest: Sendable, Hashable {
    /// The claim, or an element of it, matches the choice.
    case held(ClaimChoice)
    /// The claim, or one element of it, matches the first choice and not the second. Without a first choice, every
    /// value matches it.
    case heldBeside(ClaimChoice?, not: ClaimChoice)
    /// The claim is present, of a type that can be compared with the choice, and does not match it. For an array, this
    /// holds for every element.
    case excluded(ClaimChoice)
    /// The claim is absent, and so is everything that its path could mean (``ClaimPath/isAbsent(in:)``).
    case missing
    /// The path leads to no claim. Unlike for ``missing``, other members that may hide the claim do not matter.
    case absent
    /// The claim is absent, or is an empty array, which names no audience.
    case noAudience
    /// The claim contains this word: a text is split at the separator, an array has words as elements.
    case word(ClaimScalar, WordSeparator)
    /// The claim contains one of these words with the prefix before it, as in ``word(_:_:)``.
    case words([ClaimScalar], prefix: String, WordSeparator)
    case someWord(WordSeparator)
    /// The claim itself is one of these values, not an array of them. For claims that have exactly one value.
    case exact([ClaimScalar])
    /// The claim itself is one of these words, compared in lower case. The words must be in lower case.
    case exactInAnyCase([ClaimScalar])
    /// The claim is one of these identifiers: a string, or an integer compared by its digits.
    case identifier([ClaimScalar])
    case text
    /// The claim is a non-empty string.
    case someText
    /// The claim is one of these audiences, or an array of strings with one of them (RFC 7519 §4.1.3).
    case addressed([ClaimScalar])
    /// The claim is absent, or is a valid subject of at most this many bytes.
    case subject(longest: Int, mayBeEmpty: Bool)
    /// The claim is absent, a string, or an integer of 64 bits.
    case identifierOrAbsent
    case array
    /// The claim is a string with a separator in it. Read as roles it is one role, read as scopes it is two.
    case separatedText(WordSeparator)
    /// The claim has content: a string that is not blank, or an array with a string that is not.
    case content
    /// The claim is a string that consists of this text and one or more segments. A segment is `/` and letters, digits,
    /// `.`, `-` or `_`, but not `/.` or `/..`. The string has at most 2,048 bytes.
    case below(String)
    /// The claim is a string with this suffix, compared in lower case. The suffix must be in lower case.
    case ending(String)
    /// The claim is an object with this role, granted in one of these organizations. Nil permits any.
    case role(ClaimScalar, grantedIn: [String]?)
    /// The claim is an object with any role that is granted in one of these organizations. Nil permits any.
    case someRole(grantedIn: [String]?)

    /// True if the claim passes the test.
    ///
    /// - Parameter claim: the claim's value. Nil if the claim is absent.
    public func holds(for claim: JSONValue?) -> Bool {
        guard let claim else { return holdsForNone }
        return switch self {
        case .held(let choice): choice.isHeld(by: claim)
        case .heldBeside(let choice, let other):
            claim.contained.contains { (choice?.includes($0) ?? true) && !other.includes($0) }
        case .excluded(let choice): choice.isExcluded(by: claim)
        case .missing, .absent: false
        case .noAudience: claim.kind == .array && claim.count == 0
        case .word(let word, let separator): claim.has(word, behind: "", separator)
        case .words(let words, let prefix, let separator): words.contains { claim.has($0, behind: prefix, separator) }
        case .someWord(let separator): !claim.words(separator).isEmpty
        case .exact(let values): values.contains { $0.equals(claim) }
        case .exactInAnyCase(let words): claim.string.map { words.contains(.string($0.lowercased())) } ?? false
        case .identifier(let names):
            claim.kind == .string
                ? names.contains { $0.equals(claim) } : claim.identifier.map { names.contains(.string($0)) } ?? false
        case .text: claim.kind == .string
        case .someText: claim.string.map { !$0.isEmpty } ?? false
        case .addressed(let audiences):
            claim.kind == .array
                ? claim.elements.allSatisfy { $0.kind == .string }
                    && claim.elements.contains { named in audiences.contains { $0.equals(named) } }
                : audiences.contains { $0.equals(claim) }
        case .subject(let longest, let mayBeEmpty):
            mayBeEmpty && claim.string?.isEmpty == true || claim.isSubject(longest: longest)
        case .identifierOrAbsent: claim.kind == .string || claim.integer != nil
        case .array: claim.kind == .array
        case .separatedText(let separator): claim.string.map { $0.utf8.contains(separator.byte) } ?? false
        case .content: claim.hasContent
        case .below(let start): claim.string.map { Self.isPath($0, below: start) } ?? false
        case .ending(let ending):
            claim.string.map { $0.lowercased().utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) } ?? false
        case .role(let name, let organizations):
            claim.members.contains { name == .string($0.name) && $0.value.isGranted(in: organizations) }
        case .someRole(let organizations): claim.members.contains { $0.value.isGranted(in: organizations) }
        }
    }

    private var holdsForNone: Bool {
        switch self {
        case .missing, .absent, .noAudience, .subject, .identifierOrAbsent: true
        default: false
        }
    }

    /// True if the text passes ``below(_:)`` with this start.
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
}

// MARK: Words and examples

extension ClaimTest {
    /// A value that passes the test. Nil if the test names none.
    public var example: ClaimScalar? {
        switch self {
        case .excluded, .heldBeside: nil
        default: examples.first
        }
    }

    /// All values that the test names, whether they pass it or not. For ``below(_:)`` and ``ending(_:)`` one value that
    /// passes.
    public var examples: [ClaimScalar] {
        switch self {
        case .held(let choice), .excluded(let choice): choice.values
        case .heldBeside(let choice, let other): (choice?.values ?? []) + other.values
        case .exact(let values), .exactInAnyCase(let values), .identifier(let values), .addressed(let values): values
        case .below(let start): [.string(start + "/x")]
        case .ending(let ending): [.string("x" + ending)]
        case .missing, .absent, .noAudience, .word, .words, .someWord, .text, .someText, .subject, .identifierOrAbsent,
            .array,
            .separatedText, .content, .role, .someRole:
            []
        }
    }

    /// Requirement of the test in words, to follow "needs". Empty for tests that rules of a configuration file cannot
    /// contain.
    public var need: String {
        switch self {
        case .held(let choice): "one of \(choice)"
        case .excluded(let choice): "to be there and none of \(choice)"
        default: ""
        }
    }

    /// The texts among ``examples``.
    public var texts: [String] { examples.compactMap { if case .string(let text) = $0 { text } else { nil } } }

    /// True if the test is a list of accepted values, without patterns.
    public var listsValues: Bool {
        switch self {
        case .held(let choice): choice.patterns.isEmpty
        case .exact: true
        default: false
        }
    }

    /// True if a single element of an array can give the test this result, regardless of the other elements.
    ///
    /// - Parameter holds: the result of the test.
    public func needsOneElement(toHold holds: Bool) -> Bool {
        switch self {
        case .held, .heldBeside, .word, .words, .someWord, .addressed, .content, .array: holds
        case .excluded: !holds
        default: false
        }
    }
}

// MARK: Values

extension JSONValue {
    /// The elements of an array. For any other value, the value itself.
    fileprivate var contained: [JSONValue] { kind == .array ? Array(elements) : [self] }

    /// Words of a claim: a string is split at the separator (RFC 6749 §3.3), an array gives its strings. Any other
    /// value gives no words.
    func words(_ separator: WordSeparator) -> [String] {
        switch kind {
        case .string:
            withStringBytes { bytes in
                var (words, start) = ([String](), 0)
                while start < bytes.count {
                    let (word, next) = separator.word(in: bytes, from: start)
                    if !word.isEmpty { words.append(String(decoding: word.map { bytes[$0] }, as: UTF8.self)) }
                    start = next
                }
                return words
            } ?? []
        case .array: elements.compactMap(\.string)
        default: []
        }
    }

    /// True if one of the claim's words is the prefix followed by this word.
    fileprivate func has(_ word: ClaimScalar, behind prefix: String, _ separator: WordSeparator) -> Bool {
        guard kind != .string else { return hasWord(word, prefix, separator) }
        return (prefix.isEmpty ? word : .string(prefix + word.description)).isHeld(by: self)
    }

    /// True if one of the words of a string is the prefix followed by this word. Allocates nothing.
    private func hasWord(_ word: ClaimScalar, _ prefix: String, _ separator: WordSeparator) -> Bool {
        guard case .string(let word) = word else { return false }
        let (prefix, rest) = (prefix.utf8, word.utf8)
        return withStringBytes { bytes in
            var start = 0
            while start < bytes.count {
                let (range, next) = separator.word(in: bytes, from: start)
                let middle = range.lowerBound &+ prefix.count
                if !range.isEmpty, range.count == prefix.count &+ rest.count,
                    bytes.extracting(range.lowerBound..<middle).equals(prefix.span),
                    bytes.extracting(middle..<range.upperBound).equals(rest.span)
                {
                    return true
                }
                start = next
            }
            return false
        } ?? false
    }

    /// The audiences that an `aud` names: a string, or the elements of an array of strings. Any other value names none.
    var audiences: [JSONValue] {
        switch kind {
        case .string: return [self]
        case .array:
            let elements = Array(elements)
            return elements.allSatisfy { $0.kind == .string } ? elements : []
        default: return []
        }
    }

    fileprivate var hasContent: Bool {
        switch kind {
        case .string: withStringBytes { bytes in bytes.indices.contains { bytes[$0] > 0x20 } } ?? false
        case .array: elements.contains { $0.kind == .string && $0.hasContent }
        default: false
        }
    }

    /// True if a role with this value is granted in one of the organizations. Nil permits any.
    func isGranted(in organizations: [String]?) -> Bool {
        guard let organizations else { return !isNull }
        return kind == .object
            && members.contains { member in
                !member.value.isNull && organizations.contains { $0.utf8.elementsEqual(member.name.utf8) }
            }
    }
}
