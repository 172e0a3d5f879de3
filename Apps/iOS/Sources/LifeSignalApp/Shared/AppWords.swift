/// The texts that only the app has, each with its reason. A test checks that the web app or the
/// features contain every other text of a view.
enum AppWords {
    /// A web page can't open the browser's settings, so the web app lacks this button.
    static let openSettings = "Open Settings"
    /// The web app says "in this browser" instead.
    static let pushTitle = "Notifications on this iPhone"
    /// The features don't have this text, because only the device knows the notification's button.
    /// The web app's script has the same text.
    static func notSent(_ button: String) -> String { "NOT SENT: \(button)" }
    /// A browser's notification keeps its buttons after a press, but iOS removes the notification.
    static let tryAgain = "Open LifeSignal to try again."
    /// The features don't have this text, because the app's screens show what has changed. The web
    /// app's script has the same text.
    static let nothingChanged = "Nothing was changed"
    /// The web app's script has the same text.
    static let tapToSee = "Tap to see how things are."
    /// Siri reads out the title of a failure.
    static let notSentYet = "Not sent yet"
    /// The web app shows a banner instead, because it lacks a widget.
    static let checkInWaits =
        "Your check-in waits to be sent. Until then your responders don’t know about it."
    /// A page shows its buttons only during a journey, but Siri can be asked at any time.
    static let noJourney = "You are not on a journey"
    /// A browser accepts only PNG and JPEG; a phone also accepts the formats of its camera.
    static let picture =
        "Your contacts see your name, picture and number. Location data is removed."
    /// Shown only by a wrongly configured build.
    static let noServer = "This build of LifeSignal names no server."
}
