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
        let hashes = key.hashes(pushAddress: token.url.absoluteString)
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
            let known = try pushSubscriptions.knownEndpoint(id, of: caller, in: transaction)
            let endpoint = PushEndpoint(
                id: id, kind: token.kind, url: token.url,
                createdAt: known?.createdAt ?? transaction.now)
            try pushSubscriptions.announceEndpoint(endpoint, known, of: caller, in: transaction)
            var row = AppEndpointRow(endpoint: endpoint, addressHash: hash)
            row.formerHashes = Array(hashes.dropFirst())
            let loser = try transaction.save(row, of: caller)
            try pushSubscriptions.notifyLoser(loser, of: endpoint, in: transaction)
            try pushSubscriptions.notifyOfOpenAlerts(
                at: endpoint, known, of: caller, in: transaction)
            return endpoint
        }
    }
}
