import Domain
import Foundation
import Testing

@testable import Persistence

/// A browser at an address of its own.
func browser(_ number: UInt8, hash: UInt8? = nil) throws -> PushSubscriptionRow {
    let url = try #require(URL(string: "https://push.example.org/\(hash ?? number)"))
    return PushSubscriptionRow(
        endpoint: PushEndpoint(id: id(number), kind: .webPush, url: url, createdAt: noon),
        addressHash: Data(repeating: hash ?? number, count: 32),
        keys: PushSubscriptionKeys(
            p256dh: Data([4, number]), auth: Data([number]), serverKey: Data([4, 0])))
}

extension DatabaseEngine {
    /// Somebody with a session of the same number.
    func signIn(_ user: UserID, _ number: UInt8) async throws -> Caller {
        let caller = Caller(userID: user, sessionID: id(number))
        try await write(about: .none) { transaction in
            try transaction.insertSession(
                caller, deviceName: "Browser",
                TokenHashes(
                    access: Data([number]), refresh: Data([number, 1]), family: nil,
                    accessExpiresAt: noon, refreshExpiresAt: noon))
        }
        return caller
    }
}
