import Cryptography
import Domain
import Foundation
import Persistence

public struct BrowserSubscription: Sendable {
    public var url: URL
    public var p256dh: Data
    public var auth: Data

    /// - Parameters:
    ///   - p256dh: a point on P-256.
    ///   - auth: 16 bytes.
    public init(url: URL, p256dh: Data, auth: Data) {
        self.url = url
        self.p256dh = p256dh
        self.auth = auth
    }
}

/// Push subscriptions of browsers, and what all kinds of endpoints share.
public struct PushSubscriptions: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews
    let relations: Relations

    /// Registers a browser for the caller's session, and removes it from any other user. Throws
    /// `alreadyExists` if another user's browser has this address with other keys. A browser makes
    /// the address and the keys together, so a stranger who knows only the address sends others.
    public func savePushSubscription(
        _ id: PushEndpointID, _ subscription: BrowserSubscription, of caller: Caller
    ) async throws -> PushEndpoint {
        guard let serverKey = pushKey.publicKey else {
            throw CommandError.unavailable("The server is starting. Try again.")
        }
        try await refuseSource(subscription.url)
        let hashes = key.hashes(pushAddress: subscription.url.absoluteString)
        let hash = hashes[0]
        return try await database.write(
            about: Subjects([caller.userID], names: ["push address \(hash.base64EncodedString())"])
            { connection in
                let holders = try hashes.compactMap { try connection.owner(ofPushAddress: $0) }
                let people = try connection.peopleInNeed(relyingOn: caller.userID)
                return Array(Set(holders + people))
            }
        ) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try checkSession(of: caller, in: transaction)
            let others = try transaction.keysOfOthers(withPushAddresses: hashes, than: caller)
            guard
                others.allSatisfy({
                    $0.p256dh == subscription.p256dh && $0.auth == subscription.auth
                })
            else {
                throw CommandError.alreadyExists(
                    "This address is registered with other keys. Unsubscribe, then subscribe again."
                )
            }
            let known = try knownEndpoint(id, of: caller, in: transaction)
            let endpoint = PushEndpoint(
                id: id, kind: .webPush, url: subscription.url,
                createdAt: known?.createdAt ?? transaction.now)
            let keys = PushSubscriptionKeys(
                p256dh: subscription.p256dh, auth: subscription.auth, serverKey: serverKey)
            let former = try transaction.pushKeys(of: id, caller)
            try announceEndpoint(
                endpoint, known,
                hasSameKeys: former?.p256dh == keys.p256dh && former?.auth == keys.auth,
                of: caller, in: transaction)
            var row = PushSubscriptionRow(endpoint: endpoint, addressHash: hash, keys: keys)
            row.formerHashes = Array(hashes.dropFirst())
            let loser = try transaction.save(row, of: caller)
            try notifyLoser(loser, of: endpoint, in: transaction)
            try notifyOfOpenAlerts(at: endpoint, known, of: caller, in: transaction)
            return endpoint
        }
    }

    /// Alarms a person who has registered an address, like a responder who joins, about open alerts
    /// that no message has told them of. A browser may have refused the alarm at its former
    /// address.
    /// - Parameter known: the endpoint before the registration; nil for a new one.
    func notifyOfOpenAlerts(
        at endpoint: PushEndpoint, _ known: PushEndpoint?, of caller: Caller,
        in transaction: Transaction
    ) throws {
        guard known?.url != endpoint.url, let user = try transaction.user(caller.userID)
        else { return }
        for person in try transaction.peopleInNeed(relyingOn: user.id) {
            guard let owner = try transaction.user(person) else { continue }
            try relations.notifyOfOpenAlerts(
                of: owner, to: Recipient(user), isAcceptance: true, isNewEndpoint: true,
                in: transaction)
        }
    }

    /// Throws `invalidArgument` for the address of a source on this server. Each message to it
    /// would check in.
    func refuseSource(_ url: URL) async throws {
        guard try await isSource(url) else { return }
        throw CommandError.invalidArgument(
            field: "url", "Messages can't go to the address of a source.")
    }

    private func isSource(_ url: URL) async throws -> Bool {
        let isAtServer = ([options.publicURL] + options.otherURLs).contains { server in
            url.host()?.lowercased() == server.host()?.lowercased()
                && url.path().hasPrefix(server.appendingPathComponent("s").path() + "/")
        }
        guard !isAtServer else { return true }
        // Hosts and paths have many spellings, but a source's secret has only one.
        let hashes = url.pathComponents.compactMap { Token($0)?.hash }
        guard !hashes.isEmpty else { return false }
        return try await database.read { connection in
            try hashes.contains { try connection.owner(ofSource: $0) != nil }
        }
    }

    /// Tells a user that a browser or an app gets none of their messages, because it belongs to
    /// another user.
    func notifyLoser(
        _ user: UserID?, of endpoint: PushEndpoint, in transaction: Transaction
    ) throws {
        guard let owner = try user.flatMap({ try transaction.user($0) }) else { return }
        let text: NotificationText = endpoint.kind == .webPush ? .browserWasTaken : .appWasTaken
        try notifier.notify(Recipient(owner).whateverIsMuted, Notice(text: text), in: transaction)
    }

    /// Returns the endpoint with this id; nil for a new one. Throws `invalidArgument` if a new one
    /// would exceed the limit.
    func knownEndpoint(
        _ id: PushEndpointID, of caller: Caller, in transaction: Transaction
    ) throws -> PushEndpoint? {
        let existing = try transaction.pushEndpoints(of: caller.userID)
        let known = existing.first { $0.id == id }
        guard known != nil || existing.count < PushEndpoint.limit else {
            throw CommandError.invalidArgument(
                field: "id", "A user has at most \(PushEndpoint.limit) endpoints.")
        }
        return known
    }

    /// Announces a browser or an app that is new, belonged to another session, or uses another push
    /// service, even right after another one. Otherwise a thief could register an app, and then
    /// take over the owner's endpoint unnoticed. `NewsRules` limits the announcements. Announces
    /// another address at the same service once a day: browsers and phones renew theirs now and
    /// then, but it may also be that of another person.
    /// - Parameter hasSameKeys: false if the browser's keys have changed. If its address hasn't,
    ///   that is announced like a new browser: a browser renews both together, and can't read
    ///   messages for other keys.
    func announceEndpoint(
        _ endpoint: PushEndpoint, _ known: PushEndpoint?, hasSameKeys: Bool = true,
        of caller: Caller, in transaction: Transaction
    ) throws {
        let isBrowser = endpoint.kind == .webPush
        let isOwn = try transaction.pushEndpoints(ofSession: caller).contains(endpoint.id)
        let isSameAddress = known?.url == endpoint.url
        guard isOwn, known?.kind == endpoint.kind, known?.url.host() == endpoint.url.host(),
            hasSameKeys || !isSameAddress
        else {
            let text: NotificationText = isBrowser ? .browserAdded : .appAdded
            return try accountNews.announce(
                text, doneBy: caller, isOncePerWindow: false, in: transaction)
        }
        guard !isSameAddress else { return }
        try accountNews.announce(
            isBrowser ? .browserMoved : .appMoved, doneBy: caller, window: .days(1),
            in: transaction)
    }

    /// Records that a device received a message. Idempotent. Throws `invalidArgument` for a receipt
    /// that has expired or is forged.
    public func enterReceipt(_ text: String) async throws {
        let receipt = try await verified { ReceiptToken(text, key: key) }
        guard let receipt, now() < receipt.expiresAt else {
            throw CommandError.invalidArgument(field: "token", "This receipt is not valid.")
        }
        let person = UserID(receipt.person)
        try await database.write(about: Subjects([person], isRepeatable: true)) {
            _ = try $0.markReceived(DeliveryID(receipt.delivery), of: person)
        }
    }
}
