import Cryptography
import Domain
import Foundation
import Synchronization

/// The key that identifies this server to Apple's push service.
public struct APNsKey: Sendable {
    /// The length of key ids and team ids, in characters.
    public static let idLength = 10

    let privateKey: P256.PrivateKey
    let keyID: String
    let teamID: String

    /// - Parameter pem: the text of the `.p8` file.
    public init(pem: String, keyID: String, teamID: String) throws(AppPushSetupError) {
        guard let privateKey = P256.PrivateKey(pem: pem) else { throw .noAPNsKey }
        guard Self.isID(keyID) else { throw .keyID }
        guard Self.isID(teamID) else { throw .teamID }
        self.privateKey = privateKey
        self.keyID = keyID
        self.teamID = teamID
    }

    private static func isID(_ text: String) -> Bool {
        text.utf8.count == idLength
            && text.utf8.allSatisfy {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".utf8.contains($0)
            }
    }

    func token(issuedAt time: Date) -> String? {
        struct Header: Encodable {
            var alg = "ES256"
            var kid: String
        }
        struct Claims: Encodable {
            var iss: String
            var iat: Int64
        }
        return JSONWebToken.text(
            header: Header(kid: keyID),
            claims: Claims(iss: teamID, iat: time.milliseconds / 1_000)
        ) { privateKey.signature(of: $0) }
    }
}

/// Caches the token that authenticates all messages. Apple rejects tokens older than an hour, and a
/// new token less than 20 minutes after the previous one.
final class APNsSigner: Sendable {
    static let useTime: Duration = .minutes(40)
    static let pauseBetweenRenewals: Duration = .minutes(20)

    private struct State {
        var token: String?
        var madeAt = Date.distantPast
        /// The time when a token was last replaced because Apple called it expired.
        var renewedAt: Date?
    }

    private let key: APNsKey
    private let now: @Sendable () -> Date
    private let state = Mutex(State())

    init(_ key: APNsKey, now: @escaping @Sendable () -> Date) {
        self.key = key
        self.now = now
    }

    /// - Returns: nil if libcrypto fails.
    func token() -> String? {
        let now = now()
        return state.withLock { state in
            let age = now.since(state.madeAt)
            // The age is negative after the clock was set back.
            if let token = state.token, age >= .zero, age < Self.useTime { return token }
            return make(&state, at: now)
        }
    }

    /// Returns a token in place of one that Apple called expired. If many messages get this answer,
    /// only the first makes a new token.
    /// - Returns: nil within 20 minutes of the last replacement. The machine's clock is then wrong.
    func token(after expired: String) -> String? {
        let now = now()
        return state.withLock { state in
            if let token = state.token, token != expired { return token }
            if let last = state.renewedAt, now >= last,
                now.since(last) < Self.pauseBetweenRenewals
            {
                return nil
            }
            state.renewedAt = now
            return make(&state, at: now)
        }
    }

    private func make(_ state: inout State, at now: Date) -> String? {
        state.token = key.token(issuedAt: now)
        state.madeAt = now
        return state.token
    }
}
