import JOSE

/// Key sets made of a few fixed P-256 keys.
enum SampleKeys {
    static let materials = [
        ("S2mZFoKLG2ynVeyjGvYl3DhHoj0kFZLO_DpWg3dt7ww", "RpusRJ9fjAYaI_8v_tq1h8Yx-Kop8qxmVjb9nb40tUc"),
        ("2MtbRLBLSt7ahRWupaCXNSH5O5ZQIVeaqhPxos1mwNU", "RdmrgH2Dy521rEuOAv_nchTNFz2Pt2wuSPWOqz7xldk"),
        ("obQh3T--LCj1Ez1P15SDxPVPF_ltsWGUfkDuyz5XKO8", "brxGDRb-BrDwSuQcjApRwc3hi2J6XxjFcCF_riZFcpY"),
        ("2BZ5qhIvp6vSBi8m5XARic_EdvcKpJvBMe7EAHEZbWk", "WUKciYDk67DYK7G_EocwcdFwJCFCnS308iaZZm8iJDo"),
    ]

    static func jwk(keyID: String, material: Int) -> String {
        let (x, y) = materials[material % materials.count]
        return #"{"kty":"EC","crv":"P-256","kid":"\#(keyID)","x":"\#(x)","y":"\#(y)"}"#
    }

    /// A key set with one key for each ID, with key material in order.
    static func keySet(_ keyIDs: [String], firstMaterial: Int = 0) throws -> KeySet {
        let keys = keyIDs.enumerated().map { jwk(keyID: $1, material: $0 + firstMaterial) }
        return try KeySet(parsing: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8).span)
    }
}
