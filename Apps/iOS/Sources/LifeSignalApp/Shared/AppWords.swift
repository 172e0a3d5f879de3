/// The words that only the app has, each with the reason. A test holds every other word of a view
/// against those of the web app and of the features.
enum AppWords {
    /// A page can't open a browser's settings.
    static let openSettings = "Open Settings"
    /// There is no browser.
    static let pushTitle = "Notifications on this iPhone"
    /// The button of a notification, of which the server knows nothing. The web app's script says
    /// the same.
    static func notSent(_ button: String) -> String { "NOT SENT: \(button)" }
    /// The web app's script says the same.
    static let notSignedIn = "This was for someone who is not signed in here."
    /// A browser's notification keeps its buttons; iOS takes it away.
    static let tryAgain = "Open LifeSignal to try again."
    /// Siri reads the title of a failure.
    static let notSentYet = "Not sent yet"
    /// The web app has a banner, and no widget.
    static let checkInWaits =
        "Your check-in waits to be sent. Until then your responders don’t know about it."
    /// A build without a server is a mistake of whoever built it.
    static let noServer = "This build of LifeSignal names no server."
}
