import KeySets
import NIOCore
import NetworkNames
import TokenVerification

/// Gets an issuer's metadata (OpenID Connect Discovery 1.0 §4, RFC 8414 §3).
struct MetadataFetch: Sendable {
    struct Document: Sendable {
        let metadata: IssuerMetadata
        /// Class of the address that answered. The addresses that the document names may be of no narrower class.
        let addressClass: AddressClass
    }

    /// Time for which an address in a document is used without asking again.
    static let lifetime = Duration.seconds(24 * 3600)

    let client: DocumentClient

    private var configuration: KeySetConfiguration { client.configuration }

    /// The document; the deadline bounds each step up to the answer's head, and the caller bounds the rest.
    func document(deadline: NIODeadline) async throws(KeySetFetchFailure) -> Document {
        switch configuration.source {
        case .discovery(let issuer): try await first(of: IssuerMetadata.documentURLs(for: issuer), deadline: deadline)
        case .metadata(let url): try await first(of: [url], deadline: deadline)
        case .file, .jwkSetURL: throw .urlInvalid(configuration.source.description)
        }
    }

    /// The same within a limit for all of it.
    func document(within limit: Duration) async throws(KeySetFetchFailure) -> Document {
        let result = await TimeLimit.run(within: limit) { () -> Result<Document, KeySetFetchFailure> in
            do throws(KeySetFetchFailure) {
                // A second more: these timers only back up the one that ends it, whose reason is thus always reported.
                return .success(try await document(deadline: .now() + TimeAmount(limit) + .seconds(1)))
            } catch {
                return .failure(error)
            }
        }
        guard let result else { throw .timedOut(source: configuration.source.description, after: limit) }
        return try result.get()
    }

    /// Asks at each place where metadata can be, going on only where what a server answers is no metadata.
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
            let metadata = try IssuerMetadata(parsing: document.bytes.span, expectedIssuer: configuration.issuer)
            return Document(metadata: metadata, addressClass: document.addressClass)
        } catch {
            throw .metadataRefused(url: url.text, error, expectedIssuer: configuration.issuer)
        }
    }
}
