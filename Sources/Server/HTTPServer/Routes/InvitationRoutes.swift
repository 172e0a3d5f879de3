import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import SafetyNetwork
import WebText

extension RouteBuilder {
    func addInvitationRoutes(phoneNumbers: PhoneNumberCheck, below prefix: PathPrefix) {
        let network = network
        signedIn(Routes.invitations) { _, call in
            List(items: try await network.invitations.invitations(of: call.caller))
        }
        signedIn(Routes.invite) { input, call in
            let recipient = try Self.recipient(
                of: input, phoneNumbers, languages: call.request.headers[.acceptLanguage])
            return try await network.invitations.invite(input.name, recipient, by: call.caller)
        }
        signedIn(Routes.withdrawInvitation) { _, call in
            try await network.invitations.withdrawInvitation(try call.id(), by: call.caller)
            return Empty()
        }
        addPage(LinkPath.invitation, prefix) { form in
            try await Self.invitationPage(form, network)
        }
        addPage(LinkPath.alert, prefix) { form in try await Self.alertPage(form, network) }
        addPage(LinkPath.session, prefix) { form in try await SessionPage.page(form, network) }
        addPage(LinkPath.drill, prefix) { form in try await DrillPage.page(form, network) }
    }

    private static func recipient(
        of input: InvitationRequest, _ phoneNumbers: PhoneNumberCheck, languages: String?
    ) throws(CommandError) -> InvitationRecipient {
        switch (input.phoneNumber, input.emailAddress) {
        case (let number?, nil):
            .number(
                try phoneNumbers(
                    number, isConfirmed: input.isConfirmed == true, languages: languages))
        case (nil, let address?): .address(try EmailAddress(address, field: "emailAddress"))
        case (nil, nil), (_?, _?):
            throw .invalidArgument(
                field: "phoneNumber", "Give a phone number or an e-mail address, not both.")
        }
    }

    /// Adds a page. A GET changes and shows nothing, so link previews do no harm.
    private func addPage(
        _ path: String, _ prefix: PathPrefix,
        _ page: @escaping @Sendable ([String: String]) async throws -> LinkPage?
    ) {
        let target = prefix.text + path
        router.on(RouterPath(path), method: .get) { _, _ in LinkPage.opening(target) }
        router.on(RouterPath(path), method: .post) { request, context in
            if let refusal = context.refusal { throw refusal }
            let call = Call(request: request, context: context)
            let bytes = try await call.bytes(
                of: ["application/x-www-form-urlencoded"], limit: Self.formLimit)
            var form = FormFields.values(FormFields.decode(bytes))
            form["secret"] = LinkPage.secret(form)
            var answer = try await page(form) ?? Self.deadEnd(path)
            answer.path = target
            return answer.response()
        }
    }

    /// In bytes.
    private static let formLimit = 4_096

    private static func deadEnd(_ path: String) -> LinkPage {
        LinkPage(
            path: path, title: "This link does not work",
            paragraphs: [
                """
                It is no longer valid, or part of it is missing. Copy the whole link from the \
                message.
                """
            ], status: .notFound)
    }

    private static func invitationPage(
        _ form: [String: String], _ network: SafetyNetwork
    ) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        var objection: String?
        var shown: InvitationView?
        if form["action"] == InvitationPage.question {
            return try await network.invitationAnswers.invitation(by: secret).map {
                InvitationPage.question(to: $0, secret: secret)
            }
        }
        do {
            shown =
                switch form["action"] {
                case "yes":
                    try await network.invitationAnswers.answerInvitation(
                        by: secret, .yes(name: form["name"] ?? ""))
                case "no": try await network.invitationAnswers.answerInvitation(by: secret, .no)
                default: try await network.invitationAnswers.invitation(by: secret)
                }
        } catch CommandError.invalidArgument(_, let words, _) {
            objection = words
            shown = try await network.invitationAnswers.invitation(by: secret)
        }
        return shown.map { InvitationPage.page($0, secret: secret, objection: objection) }
    }

    private static func alertPage(
        _ form: [String: String], _ network: SafetyNetwork
    ) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        let answer = form["action"].flatMap(GuestAnswer.init(rawValue:))
        // A former responder has nothing to stop.
        let canStop =
            if answer == .stop {
                try await network.guestAlerts.guestAlert(by: secret)?.canStop == true
            } else {
                false
            }
        var objection: String?
        var alert: GuestAlert?
        do {
            alert =
                if let answer {
                    try await network.guestAlerts.answerAlert(by: secret, answer)
                } else {
                    try await network.guestAlerts.guestAlert(by: secret)
                }
        } catch CommandError.invalidArgument(_, let words, _) {
            objection = words
        }
        if let alert {
            return form["action"] == AlertPage.question && alert.canStop
                ? AlertPage.question(about: alert, secret: secret)
                : AlertPage.page(alert, secret: secret, answered: answer)
        }
        if let stopped = try await network.guestAlerts.stoppedHelp(by: secret) {
            return AlertPage.page(stopped, secret: secret, objection: objection)
        }
        return switch answer {
        case .stop: canStop ? AlertPage.stopped : nil
        case .undo: AlertPage.undone
        case .onIt, .cannot, .again, nil: nil
        }
    }
}

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
            page.name = view.name
            page.buttons = [
                .init(action: "yes", title: "Yes, tell me"),
                .init(action: "no", title: "No", isMain: false),
            ]
        case .declined:
            page.title = "You said no"
            page.paragraphs = [
                "\(view.sender) can't invite you again. You can still change your mind."
            ]
            page.name = view.name
            page.buttons = [.init(action: "yes", title: "Yes, tell me after all")]
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
            page.paragraphs = ["Try again later."]
            page.buttons = [.init(action: "show", title: "Try again", isMain: false)]
        case .expired:
            page.title = "This invitation is too old"
            page.paragraphs = ["Ask \(view.sender) for the code in LifeSignal, or say no for good."]
            page.buttons = [.init(action: "no", title: "No", isMain: false)]
        }
        if view.hasStoppedTexts, [.pending, .accepted].contains(view.state) {
            page.paragraphs.insert(
                "You stopped text messages: send START to their number, or nothing reaches you.",
                at: 0)
        }
        if let objection { page.paragraphs.insert(objection, at: 0) }
        return page
    }

    private static func ways(_ view: InvitationView) -> String {
        if view.isByMail { return "e-mail" }
        return view.hasCalls ? "SMS and calls you" : "SMS"
    }
}

private enum StopWords {
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

    static func undo(_ name: String) -> String { "Undo: keep helping \(name)" }
}

enum AlertPage {
    static let question = "ask-stop"

    static let stopped = LinkPage(
        path: LinkPath.alert, title: "You get no more messages",
        paragraphs: ["The person who asked you is being told that you no longer help."])

    /// Shown after an undo if the alert has already ended.
    static let undone = LinkPage(
        path: LinkPath.alert, title: "This link is no longer valid",
        paragraphs: ["If you are told of another alert, that message has a new link."])

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
            paragraphs: [objection, StopWords.told(stopped.name, until: stopped.undoWords)]
                .compactMap(\.self), secret: secret)
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
        page.title =
            switch alert.kind {
            case .manual: "\(alert.name) needs help"
            case .missedCheckIn: "\(alert.name) has not checked in"
            case .journey: "\(alert.name) is not back from \(alert.journey?.name ?? "a journey")"
            }
        let receipt = alert.receivedWords.map { ", received at \($0)" } ?? ""
        page.paragraphs = ["Since \(alert.startWords)\(receipt). \(helper(alert.helper))"]
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
        if alert.report != nil {
            buttons.append(
                .init(
                    action: GuestAnswer.again.rawValue, title: "Alert everyone again",
                    isMain: false))
        }
        if !alert.hasDeclined {
            let title = alert.helper == .you ? "I can’t after all" : "I can’t"
            buttons.append(
                .init(action: GuestAnswer.cannot.rawValue, title: title, isMain: false))
        }
        return buttons
    }

    private static func helper(_ helper: GuestAlert.Helper) -> String {
        switch helper {
        case .nobody: "No one is on it yet."
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
