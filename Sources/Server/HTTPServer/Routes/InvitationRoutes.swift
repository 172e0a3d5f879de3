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
            if let secret = form["secret"] { answer.secret = secret }
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
        let undoable =
            answer == .undo ? try await network.guestAlerts.stoppedHelp(by: secret) : nil
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
        switch answer {
        case .stop where canStop: return AlertPage.stopped
        case .undo:
            return undoable.map { AlertPage.undone($0.name, isOver: $0.isOver) }
                ?? AlertPage.undoneBefore
        case .onIt, .cannot, .again, .stop, nil:
            return switch try await network.guestAlerts.pastAlert(by: secret) {
            case .ofFormerResponder: AlertPage.noLongerAsked
            case .deleted: AlertPage.deleted
            case nil: nil
            }
        }
    }
}
