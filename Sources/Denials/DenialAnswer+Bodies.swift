import AccessControl
import Administration
import StrictJSON

extension DenialAnswer {
    static func list(_ entries: [DenyEntry]) -> DenialAnswer { answer("denials", entries) }

    /// Answer to an added entry: the entry as it is in force.
    static func added(_ entry: DenyEntry) -> DenialAnswer { answer("added", [entry]) }

    static func removed(_ count: Int) -> DenialAnswer {
        answer { json, bytes in json.member("removed", integer: count, into: &bytes) }
    }

    static func refusal(_ status: Int, _ words: String) -> DenialAnswer {
        answer(status) { json, bytes in json.member("error", string: words, into: &bytes) }
    }

    static let notInForce = refusal(503, "it could not be saved, so it is not in force")

    static let untold = refusal(
        503, "saved and in force here; other gateways receive it once shared_state answers")

    private static func answer(_ name: String, _ entries: [DenyEntry]) -> DenialAnswer {
        answer { json, bytes in
            json.beginArray(name, into: &bytes)
            for entry in entries { entry.append(with: &json, to: &bytes) }
            json.end(into: &bytes)
        }
    }

    private static func answer(_ status: Int = 200, _ write: (inout JSONObjectWriter, inout [UInt8]) -> Void)
        -> DenialAnswer
    {
        var bytes: [UInt8] = []
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        write(&json, &bytes)
        json.end(into: &bytes)
        return DenialAnswer(status: status, body: bytes + [UInt8(ascii: "\n")])
    }
}
