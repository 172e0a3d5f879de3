import WebText

/// Twilio's markup.
enum TwiML {
    static func document(_ content: String) -> String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Response>\(content)</Response>"
    }

    /// Escapes text for XML. Control characters become spaces, because XML can't contain them.
    static func escaped(_ text: String) -> String {
        let clean = String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
        return Markup.escaped(clean)
    }
}
