import Cryptography
import Domain
import Foundation
import Persistence

/// A token that can raise one alert without an access token. A queued alert may wait days for a
/// connection, but an access token is valid for 15 minutes. The app therefore requests a pass in
/// advance and gives it to the operating system with the alert.
public struct AlertPass: Sendable {
    public var token: Token
    public var expiresAt: Date
}

public struct AlertPasses: Commands {
    public let core: Core

    static let alertPassLifetime: Duration = .days(7)

    /// Issues a pass for this session and invalidates the previous one.
    public func issueAlertPass(to caller: Caller) async throws -> AlertPass {
        let token = random.token()
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            try checkSession(of: caller, in: transaction)
            let expiresAt = transaction.now.adding(Self.alertPassLifetime)
            try transaction.setAlertPass(token.hash, until: expiresAt, of: caller)
            return AlertPass(token: token, expiresAt: expiresAt)
        }
    }

    /// Returns the session that a pass belongs to. The first alert that the pass raises binds it:
    /// afterwards it can raise no other alert. A pass can't read or end anything.
    ///
    /// Look-ups take turns (`turns`), so that a flood of invented passes occupies at most two
    /// database readers. Throws `unauthenticated`; if too many look-ups wait, `refusal` or
    /// `unavailable`, after which the device tries again.
    public func redeem(
        alertPass token: Token, for alert: AlertID, unlessRefused refusal: CommandError?
    ) async throws -> Caller {
        let lookUps = try turns(core.passLookUps, unlessRefused: refusal)
        let hash = token.hash
        return try await lookUps.run {
            guard let known = try await database.read({ try $0.alertPass(hash: hash) }) else {
                throw CommandError.passOver
            }
            return try await database.write(
                about: Subjects([known.caller.userID], isRepeatable: true)
            ) { transaction in
                guard let pass = try transaction.alertPass(hash: hash),
                    transaction.now < pass.expiresAt, pass.alertID ?? alert == alert
                else { throw CommandError.passOver }
                if pass.alertID == nil {
                    try transaction.bindAlertPass(of: pass.caller, to: alert)
                }
                return pass.caller
            }
        }
    }
}
