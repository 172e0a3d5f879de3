import Domain
import SafetyNetwork

/// The page on which a guest reads and answers an alert.
enum AlertPage {
    static let question = "ask-stop"

    static let stopped = LinkPage(
        path: LinkPath.alert, title: "You get no more messages",
        paragraphs: ["The person who asked you is being told that you no longer help."])

    /// Shown to a former responder.
    static let noLongerAsked = LinkPage(
        path: LinkPath.alert, title: "You are no longer asked to help",
        paragraphs: ["If you know that someone is in danger, call them."], status: .notFound)

    /// Shown for an alert that was deleted with the account of the person in need, or by its age.
    static let deleted = LinkPage(
        path: LinkPath.alert, title: "LifeSignal no longer has this alert",
        paragraphs: [
            "It was deleted with the person’s account, or some time after its end.",
            "If you know that someone is in danger, call them.",
        ], status: .notFound)

    /// Shown after an undo without a stop, as when the press is repeated after the alert's end.
    static let undoneBefore = LinkPage(
        path: LinkPath.alert, title: "This link is no longer valid",
        paragraphs: ["If you are told of another alert, that message has a new link."])

    /// Shown after an undo by a link that no longer shows an alert: it has already ended, or the
    /// reader has another number or address by now.
    static func undone(_ name: String, isOver: Bool) -> LinkPage {
        LinkPage(
            path: LinkPath.alert, title: StopWords.undone(name),
            paragraphs: [
                isOver
                    ? "The alert has ended. The next message has a new link."
                    : "The alert is still on, but not shown by this link. Call \(name)."
            ])
    }

    /// Returns the page that asks for confirmation before the messages stop.
    static func question(about alert: GuestAlert, secret: String) -> LinkPage {
        var page = LinkPage(
            path: LinkPath.alert, title: "Never tell you again when \(alert.name) needs help?",
            paragraphs: [StopWords.consequence(alert.name)], secret: secret)
        page.buttons = StopWords.buttons(confirm: GuestAnswer.stop.rawValue)
        return page
    }

    static func page(
        _ stopped: StoppedHelp, secret: String, objection: String?
    ) -> LinkPage {
        var page = LinkPage(
            path: LinkPath.alert, title: StopWords.done(stopped.name),
            paragraphs: [objection ?? StopWords.told(stopped.name, until: stopped.undoWords)],
            secret: secret)
        // The objection refuses the undo.
        guard objection == nil else { return page }
        page.buttons = [
            .init(action: GuestAnswer.undo.rawValue, title: StopWords.undo(stopped.name))
        ]
        return page
    }

    static func page(
        _ alert: GuestAlert, secret: String, answered: GuestAnswer? = nil
    ) -> LinkPage {
        var page = LinkPage(path: LinkPath.alert, title: "", paragraphs: [], secret: secret)
        guard !alert.isOver else {
            page.title = "\(alert.name)’s alert has ended"
            page.paragraphs = ["It was on for \(minutes(alert.duration))."]
            return page
        }
        page.title = AlertWords.title(
            of: alert.kind, name: alert.name, journey: alert.journey?.name)
        let receipt = alert.receivedWords.map { ", received at \($0)" } ?? ""
        let helper = Self.helper(of: alert).map { " \($0)" } ?? ""
        let start =
            alert.deadlineWords.map {
                """
                \(alert.name) should have checked in by \($0). The alert began at \
                \(alert.startWords)
                """
            } ?? "Since \(alert.startWords)"
        page.paragraphs = ["\(start)\(receipt).\(helper)"]
        if alert.toldLate { page.paragraphs.append(AlertWords.toldLate) }
        if alert.hasStoppedTexts { page.paragraphs.append(StopWords.textsStopped) }
        page.duration = "It has been on for \(minutes(alert.duration))."
        if let journey = alert.journey {
            page.paragraphs.append("\(alert.name) wanted to be back at \(journey.returnWords).")
            if !journey.note.isEmpty {
                page.paragraphs.append("\(alert.name)’s note: \(journey.note)")
            }
        }
        if let report = alert.report {
            page.paragraphs.append(
                """
                \(report.words). No one is alerted again until \(report.endWords), unless somebody \
                asks for it.
                """)
        }
        if alert.isBeyondLimit {
            page.paragraphs.append(AlertWords.answerIgnored)
        } else if alert.hasDeclined {
            page.paragraphs.append(declined(alert))
        }
        page.calls = alert.phoneNumber.map { [($0.text, "Call \(alert.name)")] } ?? []
        if let emergency = alert.phoneNumber.flatMap({ EmergencyNumber(for: $0) }) {
            page.paragraphs.append(
                """
                The emergency number where \(alert.name)’s phone is registered is \
                \(emergency.text). \(EmergencyNumber?.some(emergency).advice(of: alert.name))
                """)
            page.calls.append((emergency.text, "Call \(emergency.text)"))
        } else {
            page.paragraphs.append(EmergencyNumber?.none.advice(of: alert.name))
        }
        if !alert.emergencyNote.isEmpty {
            page.note = ("Emergency note of \(alert.name)", alert.emergencyNote)
        }
        page.asOf = alert.nowWords
        page.buttons = answers(to: alert, after: answered)
        page.buttons.append(.init(action: "show", title: "Refresh", isMain: false))
        if alert.canStop {
            page.buttons.append(
                .init(
                    action: question, title: "Never tell me again", isMain: false))
        }
        return page
    }

    private static func declined(_ alert: GuestAlert) -> String {
        let after = AfterRefusal(
            isInHand: alert.helper != .nobody || alert.report != nil,
            isRefusedByAll: !alert.leavesOthers, hasAccepted: alert.hasAccepted)
        return switch after {
        case .isInHand: "You said that you can’t."
        case .othersAreAsked: "You said that you can’t. Others are being asked."
        case .othersHaveTheAlert: "You said that you can’t. Others have the alert, too."
        case .noOneIsLeft:
            """
            You said that you can’t, and no one else is left to ask. \(alert.name) knows that. \
            Please think of somebody who can help.
            """
        }
    }

    /// Returns the buttons. A helper can always confirm that they are still on it, or say that they
    /// can't help after all.
    private static func answers(
        to alert: GuestAlert, after answered: GuestAnswer?
    ) -> [LinkPage.Button] {
        var buttons: [LinkPage.Button] = []
        switch alert.helper {
        case .you where answered == .onIt: break
        case .you:
            buttons.append(.init(action: GuestAnswer.onIt.rawValue, title: "I’m still on it"))
        case .nobody:
            buttons.append(.init(action: GuestAnswer.onIt.rawValue, title: "I’m on it"))
        case .another: break
        }
        if let report = alert.report {
            buttons.append(
                .init(
                    action: GuestAnswer.again.rawValue,
                    title: AlertWords.lift(alertsEveryone: report.alertsEveryone), isMain: false))
        }
        if !alert.hasDeclined {
            let title = alert.helper == .you ? "I can’t after all" : "I can’t"
            buttons.append(
                .init(action: GuestAnswer.cannot.rawValue, title: title, isMain: false))
        }
        return buttons
    }

    /// Returns who is on it. Returns nil if no responder is and there is a report: its author may
    /// be with the person.
    private static func helper(of alert: GuestAlert) -> String? {
        switch alert.helper {
        case .nobody: alert.report == nil ? "No one is on it yet." : nil
        case .you: "You are on it."
        case .another(let name): "\(name) is on it."
        }
    }

    private static func minutes(_ duration: Duration) -> String {
        let minutes = duration.components.seconds / 60
        return switch minutes {
        case ..<1: "less than a minute"
        case 1: "1 minute"
        case 2..<120: "\(minutes) minutes"
        case ..<(48 * 60): "\(minutes / 60) hours"
        default: "\(minutes / (24 * 60)) days"
        }
    }
}
