/// The name of a browser in a person's list of sessions: a few coarse words, and never a text that
/// it sent itself.
public enum BrowserName {
    public static let unknown = "Web browser"

    /// The user agent is read up to this length.
    private static let longest = 1_000

    /// The first that fits: nearly every browser also says that it is like Chrome and Safari.
    private static let browsers = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"),
        ("OPT/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("Chrome/", "Chrome"), ("CriOS/", "Chrome"),
        ("Safari/", "Safari"),
    ]

    /// The first that fits: Android also says that it is Linux.
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
