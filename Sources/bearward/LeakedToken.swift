import AccessControl
import ArgumentParser
import ConfigurationFile
import FoundationEssentials
import JOSE
import RequestAuthorization
import StrictJSON
import TokenVerification

/// A token that is to be denied, with its issuers in the file.
struct LeakedToken {
    private let token: UnverifiedToken
    private let bytes: [UInt8]
    private let explainer: Explainer
    private let configuration: Configuration
    private let now: NumericDate
    /// Issuers that the token is of, with its names there. Several if the file names one `iss` more than once.
    private var issuers: [(index: IssuerIndex, names: TokenNames)] = []
    /// True if the issuers' keys signed the token.
    private var isProved = false

    /// Reads a token from standard input.
    ///
    /// - Throws: an exit code if there is none that an entry can name.
    static func fromStandardInput() throws -> String {
        guard let line = readLine(strippingNewline: true).map(Explain.withoutScheme), !line.isEmpty else {
            throw ValidationError("no token on standard input")
        }
        return line
    }

    /// Parses a token, and finds its issuers as the gateway does: by `iss`.
    ///
    /// - Parameter name: the only issuer that is meant. Nil if every one is.
    /// - Throws: an exit code if no entry can name the token.
    init(_ text: String, _ configuration: Configuration, only name: String?) throws {
        self.configuration = configuration
        bytes = Array(text.utf8)
        token = try Self.parsed(bytes)
        now = NumericDate(clock: Date().timeIntervalSince1970)
        explainer = try Explainer(configuration, offline: false, now: now)
        issuers = try claimedIssuers(only: name)
        guard issuers.allSatisfy({ $0.names.tokenID != nil || $0.names.subject != nil }) else {
            throw Self.unusable(
                "the token has neither `jti` nor a subject, so no entry can name it; see --client and --kid")
        }
    }

    private static func parsed(_ bytes: [UInt8]) throws -> UnverifiedToken {
        do throws(TokenRejection) {
            return try UnverifiedToken(bytes.span, padding: .accepted)
        } catch .opaqueNotSupported {
            throw unusable(
                "the token is opaque (no JWT), so only its issuer knows whose it is; revoke it there, "
                    + "or deny its subject with --sub")
        } catch {
            let fault = TokenFault(of: bytes.span, padding: .accepted)?.description ?? error.text.cause
            throw unusable("the token cannot be read as a JWT: \(fault)")
        }
    }

    private func claimedIssuers(only name: String?) throws -> [(index: IssuerIndex, names: TokenNames)] {
        guard let claimed = token.claims.issuer else {
            throw Self.unusable("the token has no `iss`, so no entry can name its issuer")
        }
        let found = explainer.authorizer.issuers(claimedBy: token).compactMap { index in
            rules(of: index).map { (index: index, names: TokenNames(token.claims, of: $0)) }
        }
        guard !found.isEmpty else {
            throw Self.refusal(
                "no issuer of the file has the token's `iss`, `\(claimed)`. The gateway refuses the token anyway, "
                    + "and no entry can name it")
        }
        let meant = found.filter { one in name.map { $0.utf8.elementsEqual(one.names.issuer.utf8) } ?? true }
        guard !meant.isEmpty else {
            let names = found.map(\.names.issuer).joined(separator: ", ")
            throw Self.unusable("the token's issuer is \(names), not \(name ?? "")")
        }
        return meant
    }

    private func rules(of issuer: IssuerIndex) -> TrustedIssuer? {
        explainer.authorizer.issuers[issuer]?.verifier.issuer
    }

    // MARK: Proof

    /// Checks with the gateway's keys that the token is its issuers' own. Keeps only the issuers that signed it.
    ///
    /// - Parameter isNeeded: false if the token is to be denied even if it may be forged.
    /// - Throws: an exit code if the proof is needed and missing.
    mutating func prove(isNeeded: Bool) async throws {
        var proved: [(index: IssuerIndex, names: TokenNames)] = []
        var causes: [String] = []
        for issuer in issuers {
            switch await explainer.proof(of: token, bytes, by: issuer.index) {
            case .signed: proved.append(issuer)
            case .refused(let rejection):
                causes.append("\(issuer.names.issuer): \(rejection.rawValue). \(rejection.text.cause)")
            case .undecided, .wait: causes.append("\(issuer.names.issuer): its keys are not available.")
            }
        }
        for note in await explainer.notes { StandardStreams.tell(.note, note.visible) }
        guard proved.isEmpty else {
            (issuers, isProved) = (proved, true)
            return
        }
        let told = causes.joined(separator: " ")
        guard isNeeded else { return StandardStreams.tell(.note, "the token is not verified: \(told)".visible) }
        throw Self.refusal(
            "the token is not verified, so it may be forged to have somebody else denied. \(told) "
                + "If you know whose it is, add --unverified")
    }

    // MARK: Entries

    /// Entries that deny the token: by `jti`, otherwise by the subject's tokens that were issued until now.
    ///
    /// - Parameters:
    ///   - issuedBefore: time that the operator gives. Nil if none is given.
    ///   - expires: end that the operator gives. Nil if none is given.
    /// - Throws: an exit code if the operator's time spares the token.
    func entries(issuedBefore: String?, expires: String?, note: String?) throws -> [AskedEntry] {
        if let written = issuedBefore, let date = NumericDate(written: written), let issued, issued >= date {
            throw Self.unusable("the token was issued at \(issued), so an entry for tokens before \(written) spares it")
        }
        return issuers.compactMap { _, names in
            let expires = expires ?? lateEnd(of: names)
            if let tokenID = names.tokenID {
                return AskedEntry(
                    issuer: names.issuer, attribute: .tokenID, value: tokenID, issuedBefore: issuedBefore,
                    expires: expires, note: note)
            }
            return names.subject.map {
                AskedEntry(
                    issuer: names.issuer, attribute: .subject, value: $0, issuedBefore: issuedBefore ?? untilNow,
                    expires: expires, note: note)
            }
        }
    }

    /// Time of issue. Nil if the token has no usable `iat`.
    private var issued: NumericDate? { token.claims.json[member: "iat"]?.real.map(NumericDate.init(seconds:)) }

    /// Time before which this token was issued, and all others until now. The issuer's clock may be ahead; of a token
    /// that is not verified its maker chose the time.
    private var untilNow: String {
        let issued = isProved ? issued.map(Self.nextSecond) : nil
        return "\(max(Self.nextSecond(after: now), issued ?? now))"
    }

    /// The whole second after a time. An entry for tokens issued before it includes those of this second.
    static func nextSecond(after date: NumericDate) -> NumericDate {
        NumericDate(seconds: min(date.seconds.rounded(.down) + 1, latest))
    }

    /// Latest time that an entry can name: 2106-02-07.
    private static let latest = Double(UInt32.max) - 1

    /// End of the entry for a token that outlives the gateway's default. Nil if the default is long enough.
    private func lateEnd(of names: TokenNames) -> String? {
        guard let end = token.claims.json[member: "exp"]?.real, end.isFinite,
            let usual = configuration.denyIssuers.lifetime(of: names.issuer),
            let leeway = issuers.compactMap({ rules(of: $0.index)?.leeway }).max()
        else { return nil }
        let needed = NumericDate(seconds: end) + leeway + leeway
        return needed > now + usual ? "\(Self.nextSecond(after: needed))" : nil
    }
}

// MARK: - Errors

extension LeakedToken {
    /// Reports a token that no entry can name. Returns the exit code of wrong usage.
    private static func unusable(_ text: String) -> ExitCode {
        StandardStreams.tell(.error, "\(text.visible). Nothing was denied")
        return .validationFailure
    }

    /// Reports a token that is not denied. Returns the exit code of a failed check.
    private static func refusal(_ text: String) -> ExitCode {
        StandardStreams.tell(.error, "\(text.visible). Nothing was denied")
        return .failure
    }
}
