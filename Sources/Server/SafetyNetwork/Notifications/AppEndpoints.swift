import Cryptography
import Domain
import Foundation
import Persistence

extension SafetyNetwork {
    /// Registers an app for the session that asks, and for nobody else any more.
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
            guard try transaction.user(caller.userID) != nil else { throw Self.noSuchUser }
            // Signing out may have come first.
            guard try transaction.hasSession(caller) else { throw Self.sessionOver }
            let known = try knownEndpoint(id, of: caller, in: transaction)
            let endpoint = PushEndpoint(
                id: id, kind: token.kind, url: token.url,
                createdAt: known?.createdAt ?? transaction.now)
            let loser = try transaction.save(
                AppEndpointRow(endpoint: endpoint, addressHash: hash), of: caller)
            try notifyLoser(loser, of: endpoint, in: transaction)
            return endpoint
        }
    }
}
