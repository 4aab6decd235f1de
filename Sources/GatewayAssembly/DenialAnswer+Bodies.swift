import Administration
import DenyLists
import StrictJSON

extension DenialAnswer {
    static func list(_ entries: [DenyEntry]) -> DenialAnswer {
        answer { json, bytes in
            json.beginArray("denials", into: &bytes)
            for entry in entries { entry.append(with: &json, to: &bytes) }
            json.end(into: &bytes)
        }
    }

    /// With the entry as it is in force.
    static func added(_ entry: DenyEntry) -> DenialAnswer {
        answer { json, bytes in
            json.beginArray("added", into: &bytes)
            entry.append(with: &json, to: &bytes)
            json.end(into: &bytes)
        }
    }

    static func removed(_ count: Int) -> DenialAnswer {
        answer { json, bytes in json.member("removed", integer: count, into: &bytes) }
    }

    static func refusal(_ status: Int, _ words: String) -> DenialAnswer {
        answer(status) { json, bytes in json.member("error", string: words, into: &bytes) }
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
