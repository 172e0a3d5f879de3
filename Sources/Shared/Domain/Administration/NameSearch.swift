import Foundation

/// How `admin people` finds a name: by the beginning of the name, or of a word in it, in any case
/// and without accents.
public enum NameSearch {
    /// The most words of a name that can be found.
    private static let words = 8
    /// The most bytes of an entry.
    private static let length = 80

    /// Returns the name as the index has it, from each of its words on.
    public static func entries(of name: String) -> Set<Data> {
        let parts = folded(name).split(whereSeparator: \.isWhitespace)
        return Set(
            parts.indices.prefix(words).map { index in
                Data(parts[index...].joined(separator: " ").utf8.prefix(length))
            })
    }

    /// Returns the beginning of the entries that match the typed text.
    public static func prefix(_ text: String) -> Data {
        let parts = folded(text).split(whereSeparator: \.isWhitespace)
        return Data(parts.joined(separator: " ").utf8.prefix(length))
    }

    static func folded(_ text: String) -> String {
        text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil).lowercased()
    }
}
