import API
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import SafetyNetwork

extension RouteBuilder {
    func addInvitationRoutes(phoneNumbers: PhoneNumberCheck) {
        let network = network
        signedIn(Routes.invitations) { _, call in
            List(items: try await network.invitations(of: call.caller))
        }
        signedIn(Routes.invite) { input, call in
            let recipient = try Self.recipient(of: input)
            if let number = recipient.number { try phoneNumbers(number) }
            return try await network.invite(input.name, recipient, by: call.caller)
        }
        signedIn(Routes.withdrawInvitation) { _, call in
            try await network.withdrawInvitation(try call.id(), by: call.caller)
            return Empty()
        }
        addPage(LinkPath.invitation) { form in try await Self.invitationPage(form, network) }
        addPage(LinkPath.alert) { form in try await Self.alertPage(form, network) }
        addPage(LinkPath.drill) { form in try await DrillPage.page(form, network) }
    }

    private static func recipient(
        of input: InvitationRequest
    ) throws(CommandError) -> InvitationRecipient {
        switch (input.phoneNumber, input.emailAddress) {
        case (let number?, nil): .number(try PhoneNumber(number))
        case (nil, let address?): .address(try EmailAddress(address, field: "emailAddress"))
        case (nil, nil), (_?, _?):
            throw .invalidArgument(
                field: "phoneNumber", "Give a phone number or an e-mail address, not both.")
        }
    }

    /// A GET changes nothing and shows nothing, so that previews of links do no harm.
    private func addPage(
        _ path: String, _ page: @escaping @Sendable ([String: String]) async throws -> LinkPage?
    ) {
        router.on(RouterPath(path), method: .get) { _, _ in LinkPage.opening(path) }
        router.on(RouterPath(path), method: .post) { request, context in
            if let refusal = context.refusal { throw refusal }
            let call = Call(request: request, context: context)
            let bytes = try await call.bytes(
                of: ["application/x-www-form-urlencoded"], limit: Self.formLimit)
            let form = Self.fields(String(decoding: bytes, as: UTF8.self))
            return (try await page(form) ?? Self.deadEnd(path)).response()
        }
    }

    /// Bytes of a form.
    private static let formLimit = 4_096

    static func fields(_ form: String) -> [String: String] {
        let pairs = form.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { $0.replacing("+", with: " ").removingPercentEncoding ?? "" }
            return (parts[0], parts.count == 2 ? parts[1] : "")
        }
        return Dictionary(pairs) { first, _ in first }
    }

    private static func deadEnd(_ path: String) -> LinkPage {
        LinkPage(
            path: path, title: "This link does not work",
            paragraphs: [
                """
                It is no longer good, or a part of it was lost. Copy the whole link from the \
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
        do {
            shown =
                switch form["action"] {
                case "yes":
                    try await network.answerInvitation(by: secret, .yes(name: form["name"] ?? ""))
                case "no": try await network.answerInvitation(by: secret, .no)
                default: try await network.invitation(by: secret)
                }
        } catch CommandError.invalidArgument(_, let words, _) {
            objection = words
            shown = try await network.invitation(by: secret)
        }
        return shown.map { InvitationPage.page($0, secret: secret, objection: objection) }
    }

    private static func alertPage(
        _ form: [String: String], _ network: SafetyNetwork
    ) async throws -> LinkPage? {
        let secret = form["secret"] ?? ""
        guard let answer = form["action"].flatMap(GuestAnswer.init(rawValue:)) else {
            return try await network.guestAlert(by: secret).map {
                AlertPage.page($0, secret: secret)
            }
        }
        guard let alert = try await network.answerAlert(by: secret, answer) else {
            return answer == .stop ? AlertPage.stopped : nil
        }
        return AlertPage.page(alert, secret: secret, answered: answer)
    }
}

enum InvitationPage {
    static func page(_ view: InvitationView, secret: String, objection: String?) -> LinkPage {
        var page = LinkPage(path: LinkPath.invitation, title: "", paragraphs: [], secret: secret)
        switch view.state {
        case .pending:
            page.title = "\(view.sender) asks for your help"
            page.paragraphs = [
                """
                If \(view.sender) is in trouble or does not check in, LifeSignal tells you by \
                \(view.isByMail ? "e-mail" : "SMS and calls you"). You need no app and no account.
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
                "\(view.sender) can't have you written to again. You can still change your mind."
            ]
            page.name = view.name
            page.buttons = [.init(action: "yes", title: "Yes, tell me after all")]
        case .accepted:
            page.title = "You are told when \(view.sender) needs help"
            page.paragraphs = ["Keep this link: it ends the messages when you want."]
            page.buttons = [.init(action: "no", title: "Stop the messages", isMain: false)]
        case .expired:
            page.title = "This invitation is too old"
            page.paragraphs = ["Ask \(view.sender) for the code in LifeSignal, or say no for good."]
            page.buttons = [.init(action: "no", title: "No", isMain: false)]
        }
        if let objection { page.paragraphs.insert(objection, at: 0) }
        return page
    }
}

enum AlertPage {
    static let stopped = LinkPage(
        path: LinkPath.alert, title: "You get no more messages",
        paragraphs: ["The person who asked you has been told that you no longer help."])

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
            alert.kind == .manual
            ? "\(alert.name) needs help" : "\(alert.name) has not checked in"
        page.paragraphs = ["Since \(minutes(alert.duration)). \(helper(alert.helper))"]
        if answered == .cannot {
            page.paragraphs.append("You said that you can’t. The others are asked.")
        }
        page.calls = alert.phoneNumber.map { [($0.text, "Call \(alert.name)")] } ?? []
        if let emergency = alert.phoneNumber.flatMap({ EmergencyNumber(for: $0) }) {
            page.paragraphs.append(
                """
                The emergency number where \(alert.name)’s phone is registered is \
                \(emergency.text).
                """)
            page.calls.append((emergency.text, "Call \(emergency.text)"))
        }
        page.buttons = answers(to: alert, after: answered)
        page.buttons.append(.init(action: "show", title: "Refresh", isMain: false))
        if alert.canStop {
            page.buttons.append(
                .init(
                    action: GuestAnswer.stop.rawValue, title: "Never tell me again", isMain: false))
        }
        return page
    }

    /// The helper can say at any time that it goes on, as the question after 30 minutes asks, and
    /// that they can't after all.
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
        if answered != .cannot {
            let title = alert.helper == .you ? "I can’t after all" : "I can’t"
            buttons.append(
                .init(action: GuestAnswer.cannot.rawValue, title: title, isMain: false))
        }
        return buttons
    }

    private static func helper(_ helper: GuestAlert.Helper) -> String {
        switch helper {
        case .nobody: "Nobody is on it yet."
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
        default: "\(minutes / 60) hours"
        }
    }
}
