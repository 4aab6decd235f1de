/// Members of an operational log line besides `time`, `level` and `message`, in the order in which they are written.
public enum LogMember: String, Sendable, Hashable, CaseIterable {
    case cause
    case issuer
    case issuerURL = "issuer_url"
    case source, endpoint
    case keys, added, removed, generation
    case tooStale = "too_stale"
    case age = "age_seconds"
    case keyID = "kid"
    case algorithm = "alg"
    case index
    case failures
    case upstream, name, names
    case address, addresses, door
    case limit
    case droppedLines = "dropped_lines"
    case file, files, directory
    case line, column, key, problem, hint
    case errors
    case action, caller, status, entries
    case attribute, digest, note
    case signal, worker, successor
    case startsIn = "starts_in_ms"
    case version

    public enum ValueType: String, Sendable {
        case text = "string"
        case number
        case flag = "boolean"
        case list = "array of strings"
    }

    /// Type of the member's value, for the generated reference.
    public var type: ValueType {
        switch self {
        case .keys, .added, .removed, .generation, .age, .index, .failures, .limit, .droppedLines, .line, .column,
            .errors, .status,
            .entries, .worker, .successor, .startsIn:
            .number
        case .tooStale: .flag
        case .names, .addresses, .files: .list
        case .cause, .issuer, .issuerURL, .source, .endpoint, .keyID, .algorithm, .upstream, .name, .address, .door,
            .file,
            .directory, .key, .problem,
            .hint, .action, .caller, .attribute, .digest, .note, .signal, .version:
            .text
        }
    }

    /// Description of the member, for the generated reference.
    public var meaning: String {
        switch self {
        case .cause: "The cause of the event."
        case .issuer:
            "The operator's name of the issuer, as in the access log. A key set that issuers share has all names; "
                + "in a realm's denial, it is its `iss`."
        case .issuerURL:
            "The issuer identifier of a key set or realm, as `iss` has it; the first one if issuers share the key set."
        case .source: "Where the key set comes from."
        case .endpoint: "The introspection endpoint, or the issuer whose metadata names it."
        case .keys: "How many keys can be used now."
        case .added: "How many keys are new since the last fetch."
        case .removed: "How many keys have left the key set since the last fetch."
        case .generation: "Version of the key set's content; increases by one with each change."
        case .tooStale: "Whether the keys are past their stale limit, so that requests with its tokens get 503."
        case .age: "How long ago the saved key set was fetched, or the saved addresses were looked up, in seconds."
        case .keyID: "The key's ID."
        case .algorithm: "The key's algorithm, if it has exactly one."
        case .index: "The key's index in the key set, from 0."
        case .failures: "How many attempts failed since the last line about it."
        case .upstream: "The upstream's host and port."
        case .name: "The upstream's name that was looked up."
        case .names: "The names and addresses that the certificate is for."
        case .address: "The address of a client, of the admin listener's client, or of the admin listener."
        case .addresses: "The addresses of the listeners."
        case .door: "The kind of forward auth (door)."
        case .limit: "The limit's value."
        case .droppedLines: "How many lines were lost."
        case .file: "The file that the line is about."
        case .files: "The files that were read."
        case .directory: "The state directory."
        case .line: "The line of the file, from 1."
        case .column: "The column of the file, from 1."
        case .key:
            "The path of the key in the file, such as `issuers.logto.algorithms[1]`; empty for the file as a whole."
        case .problem: "What is wrong with the file there."
        case .hint: "What to do about it."
        case .errors: "How many errors the file has."
        case .action: "Operation on the deny list: `list`, `add` or `remove`."
        case .caller:
            "Caller of the deny list: `admin.token_file` if it showed the token of that file, `nobody` if it showed none or another."
        case .status: "The status of the answer."
        case .entries: "How many entries of a deny list are in force."
        case .attribute: "What the entry of the deny list names: `jti`, `sub`, `sid`, `client` or `kid`."
        case .digest: "SHA-256 of issuer, attribute and value of the entry, with zero bytes in between."
        case .note: "The operator's note about the entry."
        case .signal: "The signal that was received."
        case .worker: "The worker's process ID."
        case .successor: "The process ID of the worker that takes over."
        case .startsIn: "Delay until another worker is started, in milliseconds."
        case .version: "The program's version and commit."
        }
    }
}
