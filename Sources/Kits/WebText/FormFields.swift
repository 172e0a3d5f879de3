import Foundation

/// Decodes bodies of the type `application/x-www-form-urlencoded`.
public enum FormFields {
    /// Returns the fields in their order. A text with a broken percent-encoding stays as it is.
    public static func decode(_ form: Data) -> [(name: String, value: String)] {
        String(decoding: form, as: UTF8.self).split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map(text)
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
    }

    /// Returns the values by name. If a name occurs twice, the first field counts.
    public static func values(_ fields: [(name: String, value: String)]) -> [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    private static func text(_ part: Substring) -> String {
        let spaced = part.replacing("+", with: " ")
        return String(spaced).removingPercentEncoding ?? String(spaced)
    }
}
