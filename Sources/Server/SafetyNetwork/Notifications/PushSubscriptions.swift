import Cryptography
import Domain
import Foundation
import Persistence

/// A browser that wants to be told, as it describes itself.
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

extension SafetyNetwork {
    /// Registers a browser for the session that asks, and for nobody else any more.
    public func savePushSubscription(
        _ id: PushEndpointID, _ subscription: BrowserSubscription, of caller: Caller
    ) async throws -> PushEndpoint {
        guard let serverKey = pushKey.publicKey else {
            throw CommandError.unavailable("The server is starting. Try again.")
        }
        let hash = key.hash(pushAddress: subscription.url.absoluteString)
        return try await database.write(
            about: Subjects([caller.userID], names: ["push address \(hash.base64EncodedString())"])
            { try $0.owner(ofPushAddress: hash).map { [$0] } ?? [] }
        ) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw Self.noSuchUser }
            // Signing out may have come first.
            guard try transaction.hasSession(caller) else { throw Self.sessionOver }
            let known = try knownEndpoint(id, of: caller, in: transaction)
            let endpoint = PushEndpoint(
                id: id, kind: .webPush, url: subscription.url,
                createdAt: known?.createdAt ?? transaction.now)
            let keys = PushSubscriptionKeys(
                p256dh: subscription.p256dh, auth: subscription.auth, serverKey: serverKey)
            let loser = try transaction.save(
                PushSubscriptionRow(endpoint: endpoint, addressHash: hash, keys: keys), of: caller)
            try notifyLoser(loser, of: endpoint, in: transaction)
            return endpoint
        }
    }

    /// Tells the user whose browser or app is another user's now: nothing reaches them there.
    func notifyLoser(
        _ user: UserID?, of endpoint: PushEndpoint, in transaction: Transaction
    ) throws {
        guard let owner = try user.flatMap({ try transaction.user($0) }) else { return }
        let text: NotificationText = endpoint.kind == .webPush ? .browserIsGone : .appIsGone
        try notify(Recipient(owner).whateverIsMuted, Notice(text: text), in: transaction)
    }

    /// The endpoint that is registered under this id. Throws `invalidArgument` if it would be one
    /// too many.
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

    /// Enters that a device has a message. The same receipt again changes nothing. Throws
    /// `invalidArgument` for a receipt that this server has not given out, or an old one.
    public func enterReceipt(_ text: String) async throws {
        guard let receipt = ReceiptToken(text, key: key), now() < receipt.expiresAt else {
            throw CommandError.invalidArgument(field: "token", "This receipt is not valid.")
        }
        let person = UserID(receipt.person)
        try await database.write(about: Subjects([person], isRepeatable: true)) {
            _ = try $0.markReceived(DeliveryID(receipt.delivery), of: person)
        }
    }
}
