import StrictJSON
import TokenVerification

/// State of one issuer's keys.
public struct IssuerState: Sendable, Hashable {
    public let name: String
    /// True if tokens of the issuer can be verified now.
    public let isReady: Bool
    public let keySets: [KeySetState]
    /// Number of realms that have a place. Nil if the issuer has no realms by pattern.
    public let realms: Int?
    /// Keys that signed the tokens of most requests in the last minutes. Empty if they are not counted.
    public let signers: [Signer]
    /// Most keys that are listed.
    public static let mostSigners = 16

    public struct Signer: Sendable, Hashable {
        public let keyID: String
        /// Largest number of requests that can have had a token of this key.
        public let count: UInt64

        public init(keyID: String, count: UInt64) {
            (self.keyID, self.count) = (keyID, count)
        }
    }

    /// - Parameter signers: largest count first.
    public init(name: String, isReady: Bool, keySets: [KeySetState], realms: Int?, signers: [Signer] = []) {
        (self.name, self.isReady, self.keySets, self.realms) = (name, isReady, keySets, realms)
        self.signers = Array(signers.prefix(Self.mostSigners))
    }
}

/// State of one key set.
public struct KeySetState: Sendable, Hashable {
    /// Most key IDs that are listed.
    public static let mostKeyIDs = 16

    public let source: String
    /// True if the keys are recent enough to be used.
    public let isUsable: Bool
    public let keyCount: Int
    /// The first key IDs, in the order of the set. Keys without an ID are left out.
    public let keyIDs: [String]
    /// Time since the last valid answer. Nil if there was none.
    public let age: Duration?
    /// Time at which the keys are fetched next. Nil if they are not.
    public let nextFetch: NumericDate?
    /// Cause of the last attempt's failure. Nil if it succeeded.
    public let lastFailure: String?

    public init(
        source: String, isUsable: Bool, keyCount: Int, keyIDs: [String], age: Duration?, nextFetch: NumericDate?,
        lastFailure: String?
    ) {
        (self.source, self.isUsable, self.keyCount) = (source, isUsable, keyCount)
        self.keyIDs = Array(keyIDs.prefix(Self.mostKeyIDs))
        (self.age, self.nextFetch, self.lastFailure) = (age, nextFetch, lastFailure)
    }
}

extension IssuerState {
    /// Writes the state as members.
    func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("name", string: name, into: &bytes)
        json.member("ready", boolean: isReady, into: &bytes)
        if let realms { json.member("realms", integer: realms, into: &bytes) }
        json.objects("key_sets", keySets, into: &bytes) { $0.write(with: &$1, into: &$2) }
        json.objects("signers", signers, into: &bytes) { signer, json, bytes in
            json.member("kid", string: signer.keyID, into: &bytes)
            json.member("count", integer: Int64(clamping: signer.count), into: &bytes)
        }
    }
}

extension KeySetState {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("source", string: source, into: &bytes)
        json.member("usable", boolean: isUsable, into: &bytes)
        json.member("keys", integer: keyCount, into: &bytes)
        json.member("kids", strings: keyIDs, into: &bytes)
        if let age {
            json.member("age_seconds", integer: age.components.seconds, into: &bytes)
        } else {
            json.memberNull("age_seconds", into: &bytes)
        }
        json.member("next_fetch", optional: nextFetch?.description, into: &bytes)
        json.member("last_error", optional: lastFailure, into: &bytes)
    }
}
