import Domain
import Foundation
import Testing

@testable import Persistence

func browser(_ number: UInt8, hash: UInt8? = nil) throws -> PushSubscriptionRow {
    let url = try #require(URL(string: "https://push.example.org/\(hash ?? number)"))
    return PushSubscriptionRow(
        endpoint: PushEndpoint(id: id(number), kind: .webPush, url: url, createdAt: noon),
        addressHash: Data(repeating: hash ?? number, count: 32),
        keys: PushSubscriptionKeys(
            p256dh: Data([4, number]), auth: Data([number]), serverKey: Data([4, 0])))
}

func app(
    _ number: UInt8, token: UInt8? = nil, kind: PushEndpoint.Kind = .apns
) throws -> AppEndpointRow {
    let scheme = kind == .apns ? "apns://production" : "fcm://google"
    let url = try #require(
        URL(string: "\(scheme)/\(String(repeating: "a\(token ?? number)", count: 9))"))
    return AppEndpointRow(
        endpoint: PushEndpoint(id: id(number), kind: kind, url: url, createdAt: noon),
        addressHash: Data(repeating: token ?? number, count: 32))
}

extension DatabaseEngine {
    /// Signs a user in with a session of this number.
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
    /// Saves a subscription. Returns the other user who lost its address, if any.
    @discardableResult
    func save(_ row: PushSubscriptionRow, of caller: Caller) async throws -> UserID? {
        try await write(about: .none) { try $0.save(row, of: caller) }
    }

    /// Saves an app. Returns the other user who lost its token, if any.
    @discardableResult
    func save(_ row: AppEndpointRow, of caller: Caller) async throws -> UserID? {
        try await write(about: .none) { try $0.save(row, of: caller) }
    }

    func endpoints(of user: UserID) async throws -> [PushEndpoint] {
        try await read { try $0.pushEndpoints(of: user) }
    }

    func addressOwner(_ hash: UInt8) async throws -> UserID? {
        try await read { try $0.owner(ofPushAddress: Data(repeating: hash, count: 32)) }
    }
}
