import JOSE
import KeySets
import NIOCore
import NetworkNames
import TokenVerification

/// Makes attempts to get a key set from its source, with one deadline for all steps of an attempt.
struct KeySetFetch: Sendable {
    /// State that one attempt leaves to the next.
    struct Memory: Sendable {
        /// URL of the key set, as the issuer's metadata states it; used for at most a day. Nil if the metadata must be
        /// read, as after a failed attempt, and for a source without metadata.
        var learnt: LearntAddress?
        /// Entity tag of the last valid answer. Nil if it had none.
        var validator: String?
        /// Stamp of a source file, taken before it was last read. Nil before that, if the path led to no regular file,
        /// and for any other source.
        var stamp: WatchedFile.Stamp?
    }

    struct LearntAddress: Sendable, Hashable {
        var url: HTTPURL
        var issuer: AddressClass
        var learntAt: ContinuousClock.Instant
    }

    enum Answer: Sendable {
        case keys(KeySet, freshness: Duration?)
        case nothingNew(freshness: Duration?)
        /// The single key that was asked for. Nil if its place has none of this ID.
        case key(VerificationKey?)
    }

    struct Outcome: Sendable {
        var memory: Memory
        var result: Result<Answer, KeySetFetchFailure>
    }

    let configuration: KeySetConfiguration
    let client: DocumentClient

    init(_ configuration: KeySetConfiguration, proxies: ProxyEnvironment) {
        self.configuration = configuration
        client = DocumentClient(configuration, proxies: proxies)
    }

    /// Makes the attempt. Returns at the deadline at the latest, or soon after its task is cancelled.
    ///
    /// - Parameter keyID: ID of the single key to fetch. Nil if the source has a set.
    func attempt(_ memory: Memory, keyID: String? = nil) async -> Outcome {
        let limit = configuration.fetchDeadline
        if let outcome = await TimeLimit.run(within: limit, { await steps(memory, keyID) }) { return outcome }
        var forgetful = memory
        forgetful.learnt = nil
        return Outcome(
            memory: forgetful, result: .failure(.timedOut(source: configuration.source.description, after: limit)))
    }

    private func steps(_ memory: Memory, _ keyID: String?) async -> Outcome {
        var memory = memory
        do throws(KeySetFetchFailure) {
            let answer = try await answer(&memory, keyID)
            return Outcome(memory: memory, result: .success(answer))
        } catch {
            memory.learnt = nil
            return Outcome(memory: memory, result: .failure(error))
        }
    }

    private func answer(_ memory: inout Memory, _ keyID: String?) async throws(KeySetFetchFailure) -> Answer {
        // One second later than the deadline of the attempt. These timers are only a fallback, so the attempt's own
        // time-out is always the reported reason.
        let deadline = NIODeadline.now() + TimeAmount(configuration.fetchDeadline) + .seconds(1)
        switch configuration.source {
        case .file(let path):
            return .keys(try parse(await readFile(path, &memory), from: path), freshness: nil)
        case .pemFile(let path, let keyID):
            let text = try await readFile(path, &memory)
            return .keys(KeySet(keys: [try parse(pem: text, from: path, keyID: keyID)]), freshness: nil)
        case .jwkSetURL(let text):
            guard let url = HTTPURL(text) else { throw .urlInvalid(text) }
            return try await keySet(at: url, origin: .configured, &memory, deadline: deadline)
        case .singleKeys(let place): return .key(try await key(keyID, below: place, deadline: deadline))
        case .discovery, .metadata:
            return try await learntKeySet(&memory, deadline: deadline)
        }
    }
}

// MARK: Steps

extension KeySetFetch {
    private func readFile(_ path: String, _ memory: inout Memory) async throws(KeySetFetchFailure) -> [UInt8] {
        let file = WatchedFile(path: path)
        // The stamp is taken before reading, so a change in between is noticed at the next check.
        memory.stamp = await file.stamp()
        do {
            return try await file.read(limit: configuration.documentLimit)
        } catch .tooLarge {
            throw .tooLarge(source: file.path, limit: configuration.documentLimit)
        } catch {
            throw .fileUnreadable(path: file.path, reason: error.reason)
        }
    }

    private func keySet(
        at url: HTTPURL,
        origin: IssuerServer.Origin,
        _ memory: inout Memory,
        deadline: NIODeadline,
    ) async throws(KeySetFetchFailure) -> Answer {
        switch try await client.get(url, origin: origin, validator: memory.validator, deadline: deadline) {
        case .notModified(let freshness):
            guard memory.validator != nil else { throw .unexpectedStatus(url: url.text, 304, retryAfter: nil) }
            return .nothingNew(freshness: freshness)
        case .document(let document):
            let keys = try parse(document.bytes, from: url.text)
            memory.validator = document.validator
            return .keys(keys, freshness: document.freshness)
        }
    }

    private func key(_ keyID: String?, below place: String, deadline: NIODeadline) async throws(KeySetFetchFailure)
        -> VerificationKey?
    {
        guard let keyID, let single = SingleKeyURL(keyID, below: place) else { throw .urlInvalid(place) }
        let url = single.url
        do throws(KeySetFetchFailure) {
            guard case .document(let document) = try await client.get(url, origin: .configured, deadline: deadline)
            else {
                throw .unexpectedStatus(url: url.text, 304, retryAfter: nil)
            }
            return try parse(pem: document.bytes, from: url.text, keyID: keyID)
        } catch .unexpectedStatus(_, 404, _), .unexpectedStatus(_, 410, _) {
            return nil
        }
    }

    private func learntKeySet(_ memory: inout Memory, deadline: NIODeadline) async throws(KeySetFetchFailure) -> Answer
    {
        let learnt = try await learntAddress(&memory, deadline: deadline)
        return try await keySet(at: learnt.url, origin: .learnt(issuer: learnt.issuer), &memory, deadline: deadline)
    }

    private func learntAddress(_ memory: inout Memory, deadline: NIODeadline) async throws(KeySetFetchFailure)
        -> LearntAddress
    {
        if let learnt = memory.learnt, learnt.learntAt.duration(to: .now) < MetadataFetch.lifetime { return learnt }
        let document = try await MetadataFetch(client: client).document(deadline: deadline)
        let learnt = LearntAddress(url: document.metadata.jwkSetURL, issuer: document.addressClass, learntAt: .now)
        if memory.learnt?.url != learnt.url { memory.validator = nil }
        memory.learnt = learnt
        return learnt
    }

    private func parse(_ bytes: [UInt8], from source: String) throws(KeySetFetchFailure) -> KeySet {
        do {
            return try KeySet(
                parsing: bytes.span,
                limits: KeySetLimits(bytes: configuration.documentLimit, keys: configuration.keyLimit),
                use: configuration.keyUse)
        } catch {
            throw .keySetRefused(source: source, error)
        }
    }

    private func parse(pem text: [UInt8], from source: String, keyID: String) throws(KeySetFetchFailure)
        -> VerificationKey
    {
        do throws(PEMKeyRejection) {
            return try VerificationKey(pem: text, keyID: keyID)
        } catch {
            throw .pemRefused(source: source, error)
        }
    }
}
