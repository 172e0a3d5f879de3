/// The texts that only the app has, each with the reason. A test checks that every other text of a
/// view is also in the web app or in the features.
enum AppWords {
    /// A page can't open a browser's settings.
    static let openSettings = "Open Settings"
    /// The web app says "in this browser" instead.
    static let pushTitle = "Notifications on this iPhone"
    /// Only the device knows the notification's button. The web app's script has the same text.
    static func notSent(_ button: String) -> String { "NOT SENT: \(button)" }
    /// The web app's script has the same text.
    static let notSignedIn = "This was for someone who is not signed in here."
    /// A browser's notification keeps its buttons after a press; iOS removes it.
    static let tryAgain = "Open LifeSignal to try again."
    /// Siri reads the title of a failure.
    static let notSentYet = "Not sent yet"
    /// The web app has a banner, and no widget.
    static let checkInWaits =
        "Your check-in waits to be sent. Until then your responders don’t know about it."
    /// A browser accepts PNG and JPEG; a phone also accepts its camera's formats.
    static let picture =
        "Your contacts see your name, picture and number. Location data is removed."
    /// Shown only by a wrongly configured build.
    static let noServer = "This build of LifeSignal names no server."
}
