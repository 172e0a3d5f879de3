/// Where a front end runs, for words that name its surroundings.
public enum FrontEnd: Sendable, CaseIterable {
    /// A page in a browser.
    case browser
    /// An app of its own.
    case app
}
