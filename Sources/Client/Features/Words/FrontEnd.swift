/// Where a front end runs, for texts that name its surroundings.
public enum FrontEnd: Sendable, CaseIterable {
    /// A page in a browser.
    case browser
    /// An installed app, not a page in a browser.
    case app
}
