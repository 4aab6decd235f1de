import Foundation
import JOSE
import KeySetFetching
import KeySets
import Logging

/// Documents and configurations shared by the tests of fetching.
enum SampleDocuments {
    private static let coordinates = [
        ("S2mZFoKLG2ynVeyjGvYl3DhHoj0kFZLO_DpWg3dt7ww", "RpusRJ9fjAYaI_8v_tq1h8Yx-Kop8qxmVjb9nb40tUc"),
        ("2MtbRLBLSt7ahRWupaCXNSH5O5ZQIVeaqhPxos1mwNU", "RdmrgH2Dy521rEuOAv_nchTNFz2Pt2wuSPWOqz7xldk"),
    ]

    static func keySet(_ keyIDs: String...) -> String {
        keySet(entries: zip(keyIDs, coordinates.indices).map { key($0, material: $1) })
    }

    /// A JWK as in a document.
    static func key(_ keyID: String, material: Int = 0) -> String {
        let (x, y) = coordinates[material % coordinates.count]
        return #"{"kty":"EC","crv":"P-256","kid":"\#(keyID)","x":"\#(x)","y":"\#(y)"}"#
    }

    static func keySet(entries: [String]) -> String {
        #"{"keys":[\#(entries.joined(separator: ","))]}"#
    }

    /// Parsed keys of the document with these key IDs.
    static func keys(_ keyIDs: [String]) throws -> KeySet {
        let document = Array(keySet(entries: keyIDs.enumerated().map { key($1, material: $0) }).utf8)
        return try KeySet(parsing: document.span)
    }

    static func metadata(issuer: String, jwkSetURL: String) -> String {
        #"{"issuer":"\#(issuer)","jwks_uri":"\#(jwkSetURL)"}"#
    }

    static func configuration(
        _ source: KeySetSource, issuer: String = "https://id.example", deadline: Duration = .seconds(5)
    )
        -> KeySetConfiguration
    {
        var configuration = KeySetConfiguration(source: source, issuer: issuer)
        configuration.fetchDeadline = deadline
        return configuration
    }

    static func load(_ configuration: KeySetConfiguration) async throws(KeySetFetchFailure) -> [String] {
        try await OneTimeKeySet.load(configuration, proxies: .none).keys.compactMap(\.keyID)
    }

    static let silentLogger = Logger(label: "tests") { _ in SwiftLogNoOpLogHandler() }
}

/// Waits for a condition that another task fulfils, for a limited time.
func eventually(within limit: Duration = .seconds(5), _ condition: () async -> Bool) async -> Bool {
    let end = ContinuousClock.now.advanced(by: limit)
    while ContinuousClock.now < end {
        if await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return await condition()
}
