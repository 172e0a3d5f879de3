import Cryptography
import Domain
import Foundation
import Persistence

/// Endpoints of apps, which get messages through Apple's or Google's push service.
public struct AppEndpoints: Commands {
    public let core: Core
    let pushSubscriptions: PushSubscriptions

    /// Registers an app for the caller's session, and removes it from any other user.
    public func saveAppEndpoint(
        _ id: PushEndpointID, _ token: AppToken, of caller: Caller
    ) async throws -> PushEndpoint {
        guard options.pushKinds.contains(token.kind) else {
            throw CommandError.invalidArgument(
                field: "kind", "This server sends nothing by \(token.kind.rawValue).")
        }
        let hash = key.hash(pushAddress: token.url.absoluteString)
        return try await database.write(
            about: Subjects([caller.userID], names: ["push address \(hash.base64EncodedString())"])
            { try $0.owner(ofPushAddress: hash).map { [$0] } ?? [] }
        ) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            // The session may have ended before this transaction.
            guard try transaction.hasSession(caller) else { throw CommandError.sessionOver }
            let known = try pushSubscriptions.knownEndpoint(id, of: caller, in: transaction)
            try pushSubscriptions.announceEndpoint(
                .appAdded, id, known, of: caller, in: transaction)
            let endpoint = PushEndpoint(
                id: id, kind: token.kind, url: token.url,
                createdAt: known?.createdAt ?? transaction.now)
            let loser = try transaction.save(
                AppEndpointRow(endpoint: endpoint, addressHash: hash), of: caller)
            try pushSubscriptions.notifyLoser(loser, of: endpoint, in: transaction)
            return endpoint
        }
    }
}
