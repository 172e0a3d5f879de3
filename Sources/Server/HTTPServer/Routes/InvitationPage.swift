import Domain
import SafetyNetwork

/// The page on which a person without the app answers an invitation.
enum InvitationPage {
    static let question = "ask-no"

    /// Returns the page that asks for confirmation before the messages stop.
    static func question(to view: InvitationView, secret: String) -> LinkPage {
        guard view.state == .accepted else { return page(view, secret: secret, objection: nil) }
        var page = LinkPage(
            path: LinkPath.invitation, title: "Stop the messages about \(view.sender)?",
            paragraphs: [StopWords.consequence(view.sender)], secret: secret)
        page.buttons = StopWords.buttons(confirm: "no")
        return page
    }

    static func page(_ view: InvitationView, secret: String, objection: String?) -> LinkPage {
        var page = LinkPage(path: LinkPath.invitation, title: "", paragraphs: [], secret: secret)
        switch view.state {
        case .pending:
            page.title = "\(view.sender) asks for your help"
            page.paragraphs = [
                """
                If \(view.sender) is in trouble or does not check in, LifeSignal tells you by \
                \(ways(view)). You need no app and no account.
                """
            ]
            askName(view, on: &page)
            page.buttons = [
                .init(action: "yes", title: "Yes, tell me"),
                .init(action: "no", title: "No", isMain: false),
            ]
        case .declined:
            page.title = "You said no"
            page.paragraphs = ["\(view.sender) can't invite you again."]
            if view.takesYes {
                page.paragraphs[0] += " You can still change your mind."
                askName(view, on: &page)
                page.buttons = [.init(action: "yes", title: "Yes, tell me after all")]
            }
            if let time = view.undoWords {
                page.title = StopWords.done(view.sender)
                page.paragraphs = [StopWords.told(view.sender, until: time)]
                page.name = nil
                page.buttons = [.init(action: "yes", title: StopWords.undo(view.sender))]
            }
        case .accepted:
            page.title =
                view.hasStoppedTexts
                ? "You are not told when \(view.sender) needs help"
                : "You are told when \(view.sender) needs help"
            page.paragraphs = ["Keep this link: you can stop the messages with it."]
            page.buttons = [.init(action: question, title: "Stop the messages", isMain: false)]
        case .held:
            page.title = "This invitation can’t be accepted now"
            page.paragraphs = ["Try again later, or say no for good."]
            page.buttons = [
                .init(action: "show", title: "Try again", isMain: false),
                .init(action: "no", title: "No", isMain: false),
            ]
        case .expired:
            page.title = "This invitation is too old"
            page.paragraphs = [
                """
                Ask \(view.sender) to invite you again: this link then works again. Or say no for \
                good.
                """
            ]
            page.buttons = [.init(action: "no", title: "No", isMain: false)]
        }
        if view.hasStoppedTexts, [.pending, .accepted].contains(view.state) {
            page.paragraphs.insert(StopWords.textsStopped, at: 0)
        }
        if let objection {
            // The objection refuses the undo.
            if view.undoWords != nil { (page.paragraphs, page.buttons) = ([], []) }
            page.paragraphs.insert(objection, at: 0)
        }
        return page
    }

    /// Asks for a name, or says which name a guest keeps.
    private static func askName(_ view: InvitationView, on page: inout LinkPage) {
        if let name = view.guestName {
            page.paragraphs.append("\(view.sender) sees you as \(name).")
            return
        }
        page.name = view.name
        if view.renamesGuest {
            page.paragraphs.append("If you help others already, they are told your new name.")
        }
    }

    private static func ways(_ view: InvitationView) -> String {
        if view.isByMail { return "e-mail" }
        return view.hasCalls ? "SMS and calls you" : "SMS"
    }
}
