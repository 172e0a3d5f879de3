import Cryptography
import Domain
import Foundation
import Persistence

public struct Endpoints: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews
    let pushSubscriptions: PushSubscriptions

    public func pushEndpoints(of caller: Caller) async throws -> [PushEndpoint] {
        try await database.read { try $0.pushEndpoints(of: caller.userID) }
    }

    /// Tells the owner, even if muted, that an endpoint doesn't work. Runs in the transaction that
    /// discovers this.
    public func notifyOwner(_ notice: EndpointNotice, in transaction: Transaction) throws {
        guard let owner = try transaction.user(notice.userID) else { return }
        let host = notice.url.host ?? "Your endpoint"
        let text: NotificationText =
            switch notice.news {
            case .gone: .endpointIsGone(host: host, status: notice.reason.code ?? 410)
            case .hasOldKey: .browserHasOldKey
            case .givenUp where notice.kind == .webPush: .browserIsGone
            case .givenUp where notice.kind != .webhook: .appIsGone
            case .givenUp: .endpointGivenUp(host: host)
            case .ended where notice.kind == .webPush: .browserIsGone
            case .ended: .appIsGone
            }
        try notifier.notify(Recipient(owner).whateverIsMuted, Notice(text: text), in: transaction)
        if [.ended, .givenUp].contains(notice.news) {
            try textReminder(to: owner, in: transaction)
        }
    }

    /// Sends a reminder by SMS if the user's last endpoint has refused it and was removed, because
    /// reminders go by SMS to users without an endpoint.
    private func textReminder(to owner: UserRow, in transaction: Transaction) throws {
        let (available, now) = (availableChannels, transaction.now)
        guard available.contains(.sms), owner.phoneNumber != nil, owner.smsStoppedAt == nil,
            try !transaction.pushEndpoints(of: owner.id).contains(where: {
                available.contains($0.kind.channel)
            }),
            let schedule = try transaction.schedule(of: owner.id), schedule.hasReminded,
            schedule.deadline.map({ $0 > now }) ?? true
        else { return }
        let expired = now.adding(.zero - DeliveryRules.usefulFor(.system))
        let start = max(schedule.lastCheckIn ?? expired, expired)
        guard let reminder = try transaction.refusedReminder(of: owner.id, since: start)
        else { return }
        let messages = try transaction.deadlineMessages(
            to: [owner.id], since: now.adding(.zero - DeadlineMessageLimits.window))
        let texted = (messages[owner.id] ?? []).filter {
            $0.channel == .sms && $0.purpose == .reminder
        }
        guard !DeadlineMessageLimits.isTooMuch(texted.map(\.createdAt), since: nil)
        else { return }
        try transaction.insert(
            NewDelivery(
                id: newID(), recipient: Recipient(owner), item: reminder, channel: .sms,
                pushEndpointID: nil, alertOwner: nil, purpose: .reminder))
    }

    /// Registers or moves a push endpoint of the caller's session. Returns the secret that signs
    /// its messages. The secret is derived from the server's key and not stored.
    public func savePushEndpoint(
        _ id: PushEndpointID, kind: PushEndpoint.Kind, url: URL, of caller: Caller
    )
        async throws -> (endpoint: PushEndpoint, secret: Data)
    {
        try await save(id, kind, Webhook(url: url), of: caller)
    }

    /// Registers or moves a webhook of the caller's session. Returns the secret that signs its
    /// messages, if its template is signed.
    public func saveWebhook(
        _ id: PushEndpointID, _ webhook: Webhook, of caller: Caller
    ) async throws -> (endpoint: PushEndpoint, secret: Data?) {
        let saved = try await save(id, .webhook, webhook, of: caller)
        return (saved.endpoint, webhook.template == .lifesignal ? saved.secret : nil)
    }

    private func save(
        _ id: PushEndpointID, _ kind: PushEndpoint.Kind, _ webhook: Webhook, of caller: Caller
    ) async throws -> (endpoint: PushEndpoint, secret: Data) {
        try await pushSubscriptions.refuseSource(webhook.url)
        let template = webhook.template == .lifesignal ? nil : webhook.template
        let sealedToken = try webhook.token.map { try sealed($0, for: id, of: caller) }
        let subjects = Subjects([caller.userID]) {
            try $0.peopleInNeed(relyingOn: caller.userID)
        }
        let endpoint = try await database.write(about: subjects) { transaction in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            let known = try pushSubscriptions.knownEndpoint(id, of: caller, in: transaction)
            let isOwn = try transaction.pushEndpoints(ofSession: caller).contains(id)
            // Every token is announced, because it may belong to another account of the service.
            if kind == .webhook,
                !isOwn || known?.url != webhook.url || known?.template != template
                    || known?.chat != webhook.chat || sealedToken != nil
            {
                // The user must notice an endpoint that a thief adds. The new endpoint isn't stored
                // yet, so it doesn't get this message.
                var notice = Notice(
                    text: .endpointAdded(host: webhook.url.host ?? "It"), cannotBeMuted: true)
                notice.session = caller.sessionID
                try notifier.notify(Recipient(user), notice, in: transaction)
            }
            let endpoint = PushEndpoint(
                id: id, kind: kind, url: webhook.url,
                createdAt: known?.createdAt ?? transaction.now, template: template,
                chat: webhook.chat)
            try transaction.save(
                endpoint, of: caller.userID, session: caller.sessionID, sealedToken: sealedToken)
            try pushSubscriptions.notifyOfOpenAlerts(
                at: endpoint, known, of: caller, in: transaction)
            return endpoint
        }
        return (endpoint, key.webhookSecret(user: caller.userID.uuid, endpoint: id.uuid))
    }

    private func sealed(
        _ token: String, for id: PushEndpointID, of caller: Caller
    ) throws -> Data {
        let sealed = key.seal(
            webhookToken: token, user: caller.userID.uuid, endpoint: id.uuid, random: random)
        guard let sealed else {
            throw CommandError.unavailable("The access token could not be stored. Try again.")
        }
        return sealed
    }

    /// Sends a test message to only this endpoint of the caller. Throws `rateLimited`.
    public func testPushEndpoint(_ id: PushEndpointID, of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try expectEndpoint(id, of: caller, in: transaction)
            let now = transaction.now
            let tests = try transaction.endpointTests(
                of: user.id, since: now.adding(.zero - EndpointRules.testWindow))
            let wait = EndpointRules.waitForTest(
                ofEndpoint: tests.filter { $0.endpoint == id }.map(\.time),
                ofUser: tests.map(\.time), at: now)
            if let wait { throw CommandError.rateLimited(retryAfter: wait) }
            var notice = Notice(
                text: .endpointTest, cannotBeMuted: true, isRead: true, purpose: .test)
            notice.onlyEndpoint = id
            try notifier.notify(Recipient(user), notice, in: transaction)
        }
    }

    /// Removes an endpoint. Announces the removal of another session's endpoint, because the
    /// messages of a thief's acts would no longer arrive there. Throws `notFound`.
    public func deletePushEndpoint(_ id: PushEndpointID, of caller: Caller) async throws {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            try expectEndpoint(id, of: caller, in: transaction)
            let isOwn = try transaction.pushEndpoints(ofSession: caller).contains(id)
            try transaction.forgetPushEndpoint(id, of: caller.userID)
            if !isOwn {
                try accountNews.announce(.endpointRemoved, doneBy: caller, in: transaction)
            }
        }
    }

    private func expectEndpoint(
        _ id: PushEndpointID, of caller: Caller, in transaction: Transaction
    ) throws {
        guard try transaction.pushEndpoints(of: caller.userID).contains(where: { $0.id == id })
        else {
            throw CommandError.notFound("There is no such endpoint.")
        }
    }
}
