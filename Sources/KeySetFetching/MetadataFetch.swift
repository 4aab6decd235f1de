import KeySets
import NIOCore
import NetworkNames
import TokenVerification

/// Fetches an issuer's metadata (OpenID Connect Discovery 1.0 §4, RFC 8414 §3).
struct MetadataFetch: Sendable {
    struct Document: Sendable {
        let metadata: IssuerMetadata
        /// Class of the address that answered. URLs in the document must not lead to a more private network.
        let addressClass: AddressClass
    }

    /// Time for which a URL from a document is used without fetching the document again.
    static let lifetime = Duration.seconds(24 * 3600)

    let client: DocumentClient

    private var configuration: KeySetConfiguration { client.configuration }

    /// Fetches the document. The deadline bounds each step up to the head of the answer, and the caller bounds the
    /// rest.
    func document(deadline: NIODeadline) async throws(KeySetFetchFailure) -> Document {
        switch configuration.source {
        case .discovery(let issuer): try await first(of: IssuerMetadata.documentURLs(for: issuer), deadline: deadline)
        case .metadata(let url): try await first(of: [url], deadline: deadline)
        case .file, .pemFile, .jwkSetURL, .singleKeys: throw .urlInvalid(configuration.source.description)
        }
    }

    /// Fetches the document within a time limit for all steps.
    func document(within limit: Duration) async throws(KeySetFetchFailure) -> Document {
        let result = await TimeLimit.run(within: limit) { () -> Result<Document, KeySetFetchFailure> in
            do throws(KeySetFetchFailure) {
                // One second later than the limit. These timers are only a fallback, so the time-out of `TimeLimit` is
                // always the reported reason.
                return .success(try await document(deadline: .now() + TimeAmount(limit) + .seconds(1)))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .timedOut(source: configuration.source.description, after: limit) }
        return try result.get()
    }

    /// Requests the metadata from each possible URL in turn. Continues with the next URL only if the server's answer is
    /// not metadata.
    private func first(of places: [String], deadline: NIODeadline) async throws(KeySetFetchFailure) -> Document {
        var failures: [KeySetFetchFailure] = []
        for text in places {
            guard let url = HTTPURL(text) else { throw .urlInvalid(text) }
            do {
                return try await document(at: url, deadline: deadline)
            } catch {
                failures.append(error)
                guard error.isAbsenceOfMetadata else { break }
            }
        }
        guard failures.count <= 1 else { throw .metadataNowhere(failures) }
        throw failures.first ?? .urlInvalid(configuration.source.description)
    }

    private func document(at url: HTTPURL, deadline: NIODeadline) async throws(KeySetFetchFailure) -> Document {
        guard case .document(let document) = try await client.get(url, origin: .configured, deadline: deadline) else {
            throw .unexpectedStatus(url: url.text, 304, retryAfter: nil)
        }
        do {
            let metadata = try IssuerMetadata(
                parsing: document.bytes.span, expectedIssuer: configuration.issuer,
                keysBelow: configuration.keysBelow)
            return Document(metadata: metadata, addressClass: document.addressClass)
        } catch {
            throw .metadataRefused(url: url.text, error, expectedIssuer: configuration.issuer)
        }
    }
}
