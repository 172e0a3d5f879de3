/// A browser's name in the list of sessions: a few general words, never text that the browser sent.
public enum BrowserName {
    public static let unknown = "Web browser"

    /// The number of characters read from the user agent.
    private static let longest = 1_000

    /// The first match counts, because nearly every browser also names Chrome and Safari.
    private static let browsers = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"),
        ("OPT/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ]

    /// The first match counts, because Android also names Linux.
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"),
        ("Windows", "Windows"), ("Macintosh", "Mac"),
        ("Linux", "Linux"),
    ]

    static func of(userAgent: String?) -> String {
        let text = (userAgent ?? "").prefix(longest)
        func first(of marks: [(mark: String, name: String)]) -> String? {
            marks.first { text.contains($0.mark) }?.name
        }
        let browser = first(of: browsers) ?? unknown
        return first(of: systems).map { "\(browser) on \($0)" } ?? browser
    }
}
