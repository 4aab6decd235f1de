import AccessControl
import HTTPMessages

/// A document of the gateway's own, to be sent as it is.
public struct PublishedDocument: Sendable, Hashable {
    /// JSON.
    public let bytes: [UInt8]
}

/// Where the resources' metadata documents are (RFC 9728 §3).
struct MetadataTable: Sendable {
    private let places: PlaceTable?
    private let patterns: [PlacePattern]
    /// By place.
    private let documents: [PublishedDocument]
    private let prefix = Array(("/" + ResourceMetadata.path.joined(separator: "/")).utf8)

    /// Where two resources claim one place, the first has it.
    init(_ metadata: [ResourceMetadata?]) {
        var patterns: [PlacePattern] = []
        var documents: [PublishedDocument] = []
        for metadata in metadata.compactMap(\.self) {
            for place in metadata.places where !patterns.contains(place) {
                patterns.append(place)
                documents.append(PublishedDocument(bytes: metadata.document))
            }
        }
        self.patterns = patterns
        self.documents = documents
        places = patterns.isEmpty ? nil : try? PlaceTable(patterns)
    }

    /// The document that a request asks for; its path is exactly one of the places, and its method reads.
    func document(for request: AuthorizationRequest) -> PublishedDocument? {
        guard let places, request.path.canonical.starts(with: prefix), request.isRead else { return nil }
        guard let match = places.match(request), match.segments == request.path.segmentCount else { return nil }
        return documents[match.placeIndex]
    }
}

extension AuthorizationRequest {
    fileprivate var isRead: Bool {
        let method = head.bytes[head.method]
        return method.elementsEqual("GET".utf8) || method.elementsEqual("HEAD".utf8)
    }
}

extension PlaceTable {
    /// The place of a request, by its host, port and path.
    func match(_ request: AuthorizationRequest) -> PlaceMatch? {
        guard let authority = request.head.authority else { return match(host: nil, port: nil, path: request.path) }
        let host = request.head.bytes.span.extracting(authority.host)
        return match(host: host, port: authority.port, path: request.path)
    }
}
