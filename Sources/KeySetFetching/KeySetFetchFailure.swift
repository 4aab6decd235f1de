import JOSE
import KeySets
import NetworkNames

/// Reason why an attempt to fetch a key set failed. `description` is for operators.
public enum KeySetFetchFailure: Error, Sendable, Hashable {
    /// The text is not an absolute http or https URL without userinfo and fragment.
    case urlInvalid(String)
    /// The URL is plain http to an address that is not loopback, and the operator does not permit that.
    case plainHTTPRefused(url: String)
    case hostNotResolved(host: String, reason: String)
    /// A URL from a document leads to an address in a more private network than the issuer's own, or to an unassigned
    /// address.
    case addressRefused(url: String, address: String, AddressClass?, issuer: AddressClass)
    case proxyInvalid(String)
    case connectionFailed(url: String, reason: String)
    case certificateRefused(url: String, reason: String)
    case timedOut(source: String, after: Duration)
    case redirected(url: String, status: Int, to: String?)
    case unexpectedStatus(url: String, Int, retryAfter: Duration?)
    case encoded(url: String, coding: String)
    /// The content is not gzip, although its content coding is, or it is truncated.
    case notGzip(url: String)
    case tooLarge(source: String, limit: Int)
    /// The connection closed before the end of the document.
    case incomplete(url: String, reason: String)
    case metadataRefused(url: String, IssuerMetadataRejection, expectedIssuer: String)
    /// The issuer's metadata is at none of its possible URLs. Contains the failure of each.
    case metadataNowhere([KeySetFetchFailure])
    case keySetRefused(source: String, KeySetRejection)
    /// The file has no key in PEM that can be used.
    case pemRefused(source: String, PEMKeyRejection)
    case fileUnreadable(path: String, reason: String)
    case caFileUnusable(path: String, reason: String)
    /// A file with credentials for the server cannot be used. No request was sent.
    case credentialsUnusable(path: String, reason: String)
    /// The key set is no longer in use, so no request was sent, or its answer was not awaited.
    case stopped(source: String)
}

extension KeySetFetchFailure: CustomStringConvertible {
    public var description: String {
        switch self {
        case .urlInvalid(let url): "\(url.quoted) is not an http or https URL of a document"
        case .plainHTTPRefused(let url):
            "\(url) is plain http, which is allowed only to loopback, or with plain_http: true on the issuer"
        case .hostNotResolved(let host, let reason): "the address of \(host) could not be found: \(reason)"
        case .addressRefused(let url, let address, let found, let issuer):
            """
            \(url), learnt by discovery, leads to \(address) (\(found?.name ?? "an unassigned address")), \
            but the issuer's own is \(issuer.name)
            """
        case .proxyInvalid(let reason): "HTTPS_PROXY cannot be used: \(reason)"
        case .connectionFailed(let url, let reason): "no connection to \(url): \(reason)"
        case .certificateRefused(let url, let reason): "the TLS connection to \(url) was refused: \(reason)"
        case .timedOut(let source, let limit): "\(source): timed out after \(limit.inShort)"
        case .redirected(let url, let status, let target):
            "\(url) answered \(status)\(target.map { " and names \($0.quoted)" } ?? ""); redirects are not followed"
        case .unexpectedStatus(let url, let status, _): "\(url) answered \(status)"
        case .encoded(let url, let coding):
            "\(url) answered with the content coding \(coding.quoted), which was not asked for"
        case .notGzip(let url): "\(url) answered with the content coding \"gzip\", and the content is not complete gzip"
        case .tooLarge(let source, let limit): "\(source) is larger than \(limit.inBinaryUnits)"
        case .incomplete(let url, let reason): "the answer of \(url) is incomplete: \(reason)"
        case .metadataRefused(let url, let rejection, let issuer): rejection.explained(url: url, expectedIssuer: issuer)
        case .metadataNowhere(let failures): failures.map(\.description).joined(separator: "; ")
        case .keySetRefused(let source, let rejection): "\(source) \(rejection)"
        case .pemRefused(let source, let rejection): "\(source) \(rejection)"
        case .fileUnreadable(let path, let reason): "\(path) could not be read: \(reason)"
        case .caFileUnusable(let path, let reason): "the trust anchors in \(path) cannot be used: \(reason)"
        case .credentialsUnusable(let path, let reason): "the credentials in \(path) cannot be used: \(reason)"
        case .stopped(let source): "\(source) is no longer in use: a reload removed it"
        }
    }

    /// Time in the server's `Retry-After`. Nil if there was none.
    var retryAfter: Duration? {
        if case .metadataNowhere(let failures) = self { return failures.compactMap(\.retryAfter).max() }
        guard case .unexpectedStatus(_, _, let retryAfter) = self else { return nil }
        return retryAfter
    }

    /// True if the server's answer shows that it has no usable keys of this issuer. False if the server could not be
    /// asked, or could not answer.
    var isDefinite: Bool {
        switch self {
        case .unexpectedStatus(_, let status, _): (400..<500).contains(status) && ![408, 425, 429].contains(status)
        case .metadataNowhere(let failures): failures.allSatisfy(\.isDefinite)
        case .metadataRefused, .keySetRefused, .redirected, .encoded, .notGzip, .tooLarge, .urlInvalid: true
        case .plainHTTPRefused, .hostNotResolved, .addressRefused, .proxyInvalid, .connectionFailed,
            .certificateRefused, .timedOut, .incomplete, .pemRefused, .fileUnreadable, .caFileUnusable,
            .credentialsUnusable, .stopped:
            false
        }
    }

    /// True if a server answered with something that is not metadata of any issuer, so that another URL may have the
    /// metadata.
    var isAbsenceOfMetadata: Bool {
        switch self {
        case .unexpectedStatus(_, 400..<500, _), .redirected, .encoded, .notGzip, .tooLarge: true
        case .metadataRefused(_, let rejection, _): rejection.isOfOtherDocument
        case .unexpectedStatus, .urlInvalid, .plainHTTPRefused, .hostNotResolved, .addressRefused, .proxyInvalid,
            .connectionFailed,
            .certificateRefused, .timedOut, .incomplete, .metadataNowhere, .keySetRefused, .pemRefused, .fileUnreadable,
            .caFileUnusable,
            .credentialsUnusable, .stopped:
            false
        }
    }
}

extension IssuerMetadataRejection {
    fileprivate func explained(url: String, expectedIssuer: String) -> String {
        switch self {
        case .notJSON(let rejection): "\(url) is not metadata: it \(rejection)"
        case .notJSONObject: "\(url) is not metadata: it is not a JSON object"
        case .issuerMissing: "\(url) names no issuer"
        case .issuerNotString: "the issuer in \(url) is not a string"
        case .issuerMismatch(let found):
            "the document's issuer is \(found.quoted) but \(expectedIssuer.quoted) is configured (\(url))"
        case .jwkSetURLMissing: "\(url) has no jwks_uri"
        case .jwkSetURLInvalid: "the jwks_uri in \(url) is not an http or https URL of a document"
        case .jwkSetURLElsewhere(let found, let place):
            "the jwks_uri \(found.quoted) in \(url) is not below \(place), the address of the realm itself"
        case .jwkSetURLNotHTTPS(let found): "the jwks_uri \(found.quoted) in \(url) is not https"
        }
    }
}

extension AddressClass {
    /// Name of the class in messages for operators.
    fileprivate var name: String {
        switch self {
        case .global: "a public address"
        case .private: "a private address"
        case .linkLocal: "a link-local address"
        case .loopback: "loopback"
        }
    }
}

extension String {
    /// The text in quotation marks, shortened and printable. Text of an untrusted document may be shown in a terminal
    /// or a log line.
    var quoted: String { "\"\(printable())\"" }
}

extension Duration {
    fileprivate var inShort: String {
        let milliseconds = components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
        return milliseconds.isMultiple(of: 1000) ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
    }
}

extension Int {
    fileprivate var inBinaryUnits: String {
        self >= 1024 && isMultiple(of: 1024) ? "\(self / 1024) KiB" : "\(self) bytes"
    }
}
