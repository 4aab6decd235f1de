import AccessControl
import Callers
import TokenVerification

/// Cache record of a verified token: the facts that the running configuration can ask about, in a few hundred bytes.
///
/// ```text
/// 0  key set (4)   issuer (2)   flags (1)   number of answers about the caller (1)
/// 8  key epoch (8)
/// 16 exp (8)   24 later of nbf and iat (8): both as bits of their seconds
/// 32 number of fact words (2)
/// 34 auth_time (8), if a flag says so; deny list marks (48), if a flag says so; answers about the caller, 16 each;
///    fact words, each index (2) and bits (8); texts, each length (2) and bytes; logged values and identity lines in
///    the same form
/// ```
///
/// Nothing in it depends on the current time, which is checked on every request.
struct TokenRecord {
    struct Flags: OptionSet {
        let rawValue: UInt8

        /// The longest lifetime counts from now, since the token has no time of issue.
        static let lifetimeCountsFromNow = Flags(rawValue: 1)
        static let isOnlyForOrganizationRules = Flags(rawValue: 2)
        static let hasAuthenticationTime = Flags(rawValue: 4)
        static let hasDenyMarks = Flags(rawValue: 8)

        /// The index of the claim with the subject: the four upper bits.
        static func subjectClaim(_ index: Int) -> Flags {
            Flags(rawValue: UInt8(truncatingIfNeeded: min(index, SubjectRule.mostToldClaims)) << 4)
        }

        var subjectClaim: Int { Int(rawValue >> 4) }
    }

    /// Texts that logs and rules use. Values chosen for the access log follow them, then the identity lines, both in
    /// the order of the layout.
    enum Text: Int, CaseIterable {
        case keyID, subject, client, tokenID, organization
    }

    /// Special values of a length field.
    enum Marker {
        static let absent: UInt16 = 0xFFFF
        /// The value is longer than an upstream can be expected to accept.
        static let tooLong: UInt16 = 0xFFFE
        /// Added to a length: the text is part of the identity lines. Its distance from the record's end (2 bytes)
        /// follows.
        static let shared: UInt16 = 0x8000

        static func isShared(_ length: UInt16) -> Bool { length & shared != 0 && length < tooLong }
    }

    static let fixedSize = 34
    static let wordSize = 10
    static let answerSize = 16

    let bytes: [UInt8]

    /// Nil if the bytes are not a record of this form, which would be a bug.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= Self.fixedSize else { return nil }
        self.bytes = bytes
        guard textsStart <= bytes.count else { return nil }
    }

    var issuer: IssuerIndex { IssuerIndex(Int(bytes.word16(at: 4))) }
    var keySet: KeySetIndex { KeySetIndex(Int(bytes.word32(at: 0))) }
    var flags: Flags { Flags(rawValue: UInt8(truncatingIfNeeded: bytes.word16(at: 6))) }
    private var answerCount: Int { Int(bytes.word16(at: 6) >> 8) }
    var keyEpoch: UInt64 { bytes.word64(at: 8) }
    var expiration: NumericDate { date(at: 16) }
    /// The later of `nbf` and `iat`. Negative infinity if the token has neither.
    var notBefore: NumericDate { date(at: 24) }
    /// Time at which the user signed in. Nil if the token does not state it.
    var authenticationTime: NumericDate? { flags.contains(.hasAuthenticationTime) ? date(at: Self.fixedSize) : nil }

    private func date(at offset: Int) -> NumericDate {
        NumericDate(seconds: Double(bitPattern: bytes.word64(at: offset)))
    }

    private var wordCount: Int { Int(bytes.word16(at: 32)) }
    private var denyMarksStart: Int { Self.denyMarksStart(flags) }
    private static func denyMarksStart(_ flags: Flags) -> Int {
        fixedSize &+ (flags.contains(.hasAuthenticationTime) ? 8 : 0)
    }
    static func answersStart(_ flags: Flags) -> Int {
        denyMarksStart(flags) &+ (flags.contains(.hasDenyMarks) ? DenyMarks.byteCount : 0)
    }
    private var wordsStart: Int { Self.answersStart(flags) &+ answerCount &* Self.answerSize }
    private var textsStart: Int { wordsStart &+ wordCount &* Self.wordSize }

    // MARK: The caller

    /// The stored answer to a caller question, by its index.
    func answer(_ index: Int) -> CallerAnswer { Self.answer(index, in: bytes) }

    /// Reads a stored answer from the bytes of a record, without checking the rest of them.
    static func answer(_ index: Int, in bytes: [UInt8]) -> CallerAnswer {
        let word = bytes.word16(at: 6)
        guard index >= 0, index < Int(word >> 8) else { return .none }
        let start = answersStart(Flags(rawValue: UInt8(truncatingIfNeeded: word))) &+ index &* answerSize
        return CallerAnswer(high: bytes.word64(at: start), low: bytes.word64(at: start &+ 8))
    }

    // MARK: Deny lists

    /// Attribute by which the deny list denies the token now. Nil if it does not, or if the record was made without a
    /// deny list.
    func attribute(denyingBy list: DenyList, at now: NumericDate) -> DeniedAttribute? {
        guard flags.contains(.hasDenyMarks) else { return nil }
        let start = denyMarksStart
        return list.attribute(at: now, issuedAt: issuedAt(start)) {
            bytes.word64(at: start &+ DenyMarks.offset(of: $0))
        }
    }

    private func issuedAt(_ start: Int) -> Double? {
        let seconds = Double(bitPattern: bytes.word64(at: start))
        return seconds.isNaN ? nil : seconds
    }

    /// Deny list marks of the token. Nil if the record was made without a deny list.
    var denyMarks: DenyMarks? {
        guard flags.contains(.hasDenyMarks) else { return nil }
        let start = denyMarksStart
        var marks = DenyMarks(issuedAt: issuedAt(start))
        for attribute in DeniedAttribute.allCases {
            marks[attribute] = bytes.word64(at: start &+ DenyMarks.offset(of: attribute))
        }
        return marks
    }

    // MARK: Facts

    func has(_ atom: TokenAtom) -> Bool { bits(ofWord: atom.word) & atom.bit != 0 }

    func hasAll(_ atoms: TokenAtoms) -> Bool {
        atoms.words.allSatisfy { word in bits(ofWord: word.index) & word.bits == word.bits }
    }

    func hasAny(_ atoms: TokenAtoms) -> Bool {
        atoms.words.contains { word in bits(ofWord: word.index) & word.bits != 0 }
    }

    private func bits(ofWord index: UInt32) -> UInt64 {
        var offset = wordsStart
        for _ in 0..<wordCount {
            if UInt32(bytes.word16(at: offset)) == index { return bytes.word64(at: offset &+ 2) }
            offset &+= Self.wordSize
        }
        return 0
    }

    // MARK: Texts

    /// Range of a text in the record. Nil if the token has none.
    func text(_ text: Text) -> Range<Int>? {
        value(text.rawValue).range
    }

    /// Range of the logged value or identity lines with this index, counted over both.
    func appended(_ place: Int) -> Value {
        value(Text.allCases.count &+ place)
    }

    enum Value {
        case absent
        case tooLong
        case at(Range<Int>)

        var range: Range<Int>? { if case .at(let range) = self { range } else { nil } }
    }

    private func value(_ place: Int) -> Value {
        var offset = textsStart
        for _ in 0..<place { offset &+= 2 &+ ownLength(at: offset) }
        let length = bytes.word16(at: offset)
        switch length {
        case Marker.absent: return .absent
        case Marker.tooLong: return .tooLong
        case _ where Marker.isShared(length):
            let (distance, length) = (Int(bytes.word16(at: offset &+ 2)), Int(length & ~Marker.shared))
            guard length <= distance, distance <= bytes.count else { return .absent }
            let start = bytes.count &- distance
            return .at(start..<start &+ length)
        default:
            let start = offset &+ 2
            return start &+ Int(length) <= bytes.count ? .at(start..<start &+ Int(length)) : .absent
        }
    }

    private func ownLength(at offset: Int) -> Int {
        let length = bytes.word16(at: offset)
        return Marker.isShared(length) ? 2 : length < Marker.shared ? Int(length) : 0
    }
}

extension [UInt8] {
    // Little-endian. Bytes beyond the end read as zero.
    func word16(at offset: Int) -> UInt16 {
        guard offset >= 0, offset &+ 2 <= count else { return 0 }
        return UInt16(self[offset]) | UInt16(self[offset &+ 1]) << 8
    }

    func word32(at offset: Int) -> UInt32 {
        guard offset >= 0, offset &+ 4 <= count else { return 0 }
        let low = UInt32(self[offset]) | UInt32(self[offset &+ 1]) << 8
        return low | UInt32(self[offset &+ 2]) << 16 | UInt32(self[offset &+ 3]) << 24
    }

    func word64(at offset: Int) -> UInt64 {
        guard offset >= 0, offset &+ 8 <= count else { return 0 }
        var word: UInt64 = 0
        for index in 0..<8 { word |= UInt64(self[offset &+ index]) &<< UInt64(8 &* index) }
        return word
    }

    mutating func append(word value: some FixedWidthInteger) {
        for shift in stride(from: 0, to: value.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
}

extension TokenRecordBytes {
    /// Texts of a record that logs contain.
    public enum Text: Sendable {
        case keyID, subject, client, tokenID
    }

    /// Expiration of the token, without leeway. Nil only before the first record.
    public var expiration: NumericDate? { TokenRecord(bytes)?.expiration }

    /// The stored answer to a caller question, by its index.
    public func callerAnswer(_ index: Int) -> CallerAnswer { TokenRecord.answer(index, in: bytes) }

    /// Deny list marks of the token. Nil if there was no deny list when it was verified.
    public var denyMarks: DenyMarks? { TokenRecord(bytes)?.denyMarks }

    /// A text of the record. Nil if the token has none.
    public func text(_ text: Text) -> ArraySlice<UInt8>? {
        guard let record = TokenRecord(bytes), let range = record.text(TokenRecord.Text(text)) else { return nil }
        return record.bytes[range]
    }

    /// The texts by which callers are counted. Nil only before the first record.
    public var callerTexts: CallerTexts? { TokenRecord.callerTexts(of: bytes.span) }

    /// Index of the claim with the subject, among those of the issuer's rule. Nil without a subject, and for a claim
    /// beyond ``SubjectRule/mostToldClaims``.
    public var subjectClaim: Int? {
        guard let record = TokenRecord(bytes), record.text(.subject) != nil else { return nil }
        let index = record.flags.subjectClaim
        return index < SubjectRule.mostToldClaims ? index : nil
    }

    /// Identity lines with this index in the record, for one or more resources. Nil if they are too long to be sent.
    public func identityLines(_ place: Int) -> ArraySlice<UInt8>? {
        guard let record = TokenRecord(bytes), case .at(let range) = record.appended(place) else { return nil }
        return record.bytes[range]
    }

    /// Value for the access log, by its index among those that the configuration chooses. Nil if the token has none.
    public func loggedValue(_ index: Int) -> LoggedValue? {
        guard let record = TokenRecord(bytes), case .at(let range) = record.appended(index) else { return nil }
        return LoggedValue(recorded: record.bytes[range])
    }
}

extension TokenRecord.Text {
    fileprivate init(_ text: TokenRecordBytes.Text) {
        self =
            switch text {
            case .keyID: .keyID
            case .subject: .subject
            case .client: .client
            case .tokenID: .tokenID
            }
    }
}
