import Domain
import SafetyNetwork

/// The page on which a person without the app answers a drill.
enum DrillPage {
    private static let answer = "got-it"

    /// Returns nil for an invalid link.
    static func page(
        _ form: [String: String], _ network: SafetyNetwork
    ) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        let drill =
            form["action"] == answer
            ? try await network.guestDrills.answerDrill(by: secret)
            : try await network.guestDrills.guestDrill(by: secret)
        guard let drill else {
            return try await network.guestDrills.noLongerAsks(by: secret) ? noLongerAsked : nil
        }
        return page(drill, secret: secret)
    }

    /// Shown after the end of the reader's role.
    private static let noLongerAsked = LinkPage(
        path: LinkPath.drill, title: "This was only a drill",
        paragraphs: ["You are no longer asked."], status: .notFound)

    static func page(_ drill: GuestDrill, secret: String) -> LinkPage {
        var page = LinkPage(path: LinkPath.drill, title: "", paragraphs: [], secret: secret)
        switch drill.state {
        case .asks:
            page.title = "This is only a drill"
            page.paragraphs = [
                """
                \(drill.name) does not need help. \(drill.name) would like to know whether a \
                message from LifeSignal reaches you.
                """
            ]
            page.buttons = [.init(action: answer, title: "Got it")]
            // The page must not say this during a real alert.
            page.asOf = drill.nowWords
        case .answered:
            page.title = "Thank you"
            page.paragraphs = [
                drill.hasStoppedTexts
                    ? "\(drill.name) sees your answer."
                    : "\(drill.name) now knows that a message would reach you."
            ]
        case .over:
            page.title = "The drill is over"
            page.paragraphs = ["\(drill.name) no longer needs an answer."]
        case .alert(let kind, let alert):
            page.title = AlertWords.title(of: kind, name: drill.name)
            page.paragraphs = ["This is not a drill. The drill is over."]
            page.link = (alert.absoluteString, "Open the alert")
            page.asOf = drill.nowWords
        }
        if drill.hasStoppedTexts { page.paragraphs.append(StopWords.textsStopped) }
        return page
    }
}
