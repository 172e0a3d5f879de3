/// The texts of guests who stop the messages about a person, or undo that.
enum StopWords {
    /// For a guest who has sent STOP.
    static let textsStopped =
        "You stopped text messages: send START to their number, or nothing reaches you."

    static func consequence(_ name: String) -> String {
        """
        LifeSignal tells \(name) at once that you no longer help. You can undo this for a day.
        """
    }

    static func buttons(confirm action: String) -> [LinkPage.Button] {
        [
            .init(action: "show", title: "No, keep helping"),
            .init(action: action, title: "Yes, stop the messages", isMain: false),
        ]
    }

    static func done(_ name: String) -> String { "You get no more messages about \(name)" }

    static func told(_ name: String, until time: String) -> String {
        "\(name) is being told that you no longer help. You can undo this until \(time)."
    }

    static func undone(_ name: String) -> String { "You are told again when \(name) needs help" }

    static func undo(_ name: String) -> String { "Undo: keep helping \(name)" }
}
