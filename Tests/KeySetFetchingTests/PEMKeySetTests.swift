import JOSE
import KeySetFetching
import KeySets
import TestSupport
import Testing

/// A key set that is one public key in a file.
@Suite struct PEMKeySetTests {
    private static let first = pem(
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAES2mZFoKLG2ynVeyjGvYl3DhHoj0k",
        "FZLO/DpWg3dt7wxGm6xEn1+MBhoj/y/+2rWHxjH4qinyrGZWNv2dvjS1Rw==")
    private static let second = pem(
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE2MtbRLBLSt7ahRWupaCXNSH5O5ZQ",
        "IVeaqhPxos1mwNVF2auAfYPLnbWsS44C/+dyFM0XPY+3bC5I9Y6rPvGV2Q==")

    private static func pem(_ lines: String...) -> String {
        (["-----BEGIN PUBLIC KEY-----"] + lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: "\n")
    }

    /// Keys of the sample documents, by the number of their material.
    private static func thumbprint(_ material: Int) throws -> [UInt8]? {
        let document = SampleDocuments.keySet(entries: [SampleDocuments.key("k", material: material)])
        return try KeySet(parsing: Array(document.utf8).span).keys.first?.thumbprint
    }

    private func thumbprints(_ set: RemoteKeySet) -> [[UInt8]?] {
        set.store.snapshot().keys?.keys.map(\.thumbprint) ?? []
    }

    private func started(_ path: String, log: RecordingLog = RecordingLog()) async -> RemoteKeySet {
        let source = KeySetSource.pemFile(path: path, keyID: "k")
        let set = RemoteKeySet(SampleDocuments.configuration(source), proxies: .none, logger: log.logger)
        await set.start()
        await set.firstFetchEnded()
        return set
    }

    @Test func `a key in PEM has the configured ID, and is read again when its file is replaced`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write(Self.first, to: "a.pem")
        let set = await started(directory.path("a.pem"))
        #expect(set.store.snapshot().keys?.keys.map(\.keyID) == ["k"])
        #expect(set.store.snapshot().soleKeyID == "k")
        #expect(thumbprints(set) == [try Self.thumbprint(0)])
        try directory.write(Self.second, to: "a.pem")
        let second = try Self.thumbprint(1)
        #expect(await eventually { thumbprints(set) == [second] })
        await set.stop()
    }

    @Test func `a broken replacement keeps the old key, is logged, and gives way to the next good file`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        let path = directory.path("a.pem")
        let log = RecordingLog()
        try directory.write(Self.first, to: "a.pem")
        let set = await started(path, log: log)
        try directory.write(Self.second + "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n", to: "a.pem")
        #expect(await eventually { await set.status.lastFailure == .pemRefused(source: path, .privateKey) })
        #expect(thumbprints(set) == [try Self.thumbprint(0)])
        #expect(
            log.error(of: "Key set could not be fetched")
                == "\(path) has a private key, which Bearward must never have; remove it and keep the public key")
        try directory.write(Self.second, to: "a.pem")
        let second = try Self.thumbprint(1)
        #expect(await eventually { thumbprints(set) == [second] })
        #expect(await set.status.lastFailure == nil)
        await set.stop()
    }

    @Test func `a key in PEM is neither saved to a state directory nor restored from it`() async throws {
        let directory = try TemporaryFolder()
        defer { withExtendedLifetime(directory) {} }
        try directory.write(Self.first, to: "a.pem")
        let configuration = SampleDocuments.configuration(.pemFile(path: directory.path("a.pem"), keyID: "k"))
        let state = KeySetDirectory(path: directory.path("state"))
        let set = RemoteKeySet(
            configuration, directory: state, proxies: .none, logger: SampleDocuments.silentLogger)
        await set.start()
        await set.firstFetchEnded()
        await set.stop()
        #expect(
            await OneTimeKeySet.saved(configuration, directory: state, logger: SampleDocuments.silentLogger) == nil)
    }
}
