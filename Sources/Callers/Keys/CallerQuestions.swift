import JOSE
import NetworkNames
import TokenVerification

/// The caller questions of one configuration, and their answers for verified tokens. A class, so that requests share
/// it.
///
/// The charged caller is a digest over issuer and value, under a secret. So nobody can choose a subject that is charged
/// to another caller, and subjects of two issuers are never the same caller.
public final class CallerQuestions: Sendable {
    public let questions: [CallerQuestion]
    private let secret: TokenDigestKey?

    /// Most questions that one configuration can have.
    public static let most = 255

    /// - Parameters:
    ///   - questions: at most ``most``; further ones are dropped.
    ///   - secret: key of the caller digests. Nil if callers are not distinguished: each is then charged to its
    ///     address.
    public init(_ questions: [CallerQuestion], secret: TokenDigestKey?) {
        self.questions = Array(questions.prefix(Self.most))
        self.secret = secret
    }

    public static let none = CallerQuestions([], secret: nil)

    /// The answers for a token, in the order of the questions.
    public func answers(for token: VerifiedToken) -> [CallerAnswer] {
        questions.map { answer($0, for: token) }
    }

    public func answer(_ question: CallerQuestion, for token: VerifiedToken) -> CallerAnswer {
        switch question {
        case .charged(let attribute):
            guard let value = attribute.value(in: token) ?? CallerAttribute.subject.value(in: token) else {
                return .none
            }
            return digest(of: value, token)
        case .choice(let path, let values):
            guard let claim = path.value(in: token.claims.json),
                let index = values.firstIndex(where: { $0.isHeld(by: claim) })
            else {
                return .none
            }
            return CallerAnswer(high: 1, low: UInt64(index))
        case .spread(let attribute):
            // The hash selects a server and is no permission, so it needs no key.
            return attribute.value(in: token).map { CallerAnswer(high: 1, low: FNV1a.hash($0.span)) } ?? .none
        }
    }

    /// Answer that identifies a client by a digest of its address or network, given in IPv6 form as two halves. None if
    /// there is no secret for digests.
    public func address(high: UInt64, low: UInt64) -> CallerAnswer {
        var bytes = Array("address".utf8)
        for word in [high, low] {
            for shift in stride(from: 0, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(shift)))
            }
        }
        guard let digest = secret?.digest(of: bytes.span) else { return .none }
        return CallerAnswer(high: digest.first, low: digest.second)
    }

    private func digest(of value: [UInt8], _ token: VerifiedToken) -> CallerAnswer {
        var bytes = Array(token.issuer.name.utf8)
        bytes.append(0)
        bytes.append(contentsOf: token.issuerIdentifier.utf8)
        bytes.append(0)
        bytes.append(contentsOf: value)
        guard let digest = secret?.digest(of: bytes.span) else { return .none }
        return CallerAnswer(high: digest.first, low: digest.second)
    }
}
