import Cryptography
import Domain
import Foundation
import Persistence

/// A token that allows a device to raise one alert without an access token. The server returns a
/// pass only once. An app requests the pass while it is connected. When it later queues an alert,
/// it hands both to the operating system, because an access token is valid for 15 minutes, but the
/// alert may wait days for a connection.
public struct AlertPass: Sendable {
    public var token: Token
    public var expiresAt: Date
}

/// Passes that raise an alert without an access token.
public struct AlertPasses: Commands {
    public let core: Core

    static let alertPassLifetime: Duration = .days(7)

    /// Issues a new pass for this session and invalidates the previous one.
    public func issueAlertPass(to caller: Caller) async throws -> AlertPass {
        let token = random.token()
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            guard try transaction.hasSession(caller) else { throw CommandError.sessionOver }
            let expiresAt = transaction.now.adding(Self.alertPassLifetime)
            try transaction.setAlertPass(token.hash, until: expiresAt, of: caller)
            return AlertPass(token: token, expiresAt: expiresAt)
        }
    }

    /// Returns the session behind a pass. The first alert raised with a pass binds the pass: from
    /// then on, the pass can raise no other alert. A pass can't read or end anything.
    ///
    /// Runs one look-up at a time in the whole process, so that invented passes from any number of
    /// addresses occupy at most one database reader. Throws `unauthenticated`, or `refusal` when
    /// too many look-ups wait.
    public func redeem(
        alertPass token: Token, for alert: AlertID, unlessRefused refusal: CommandError?
    ) async throws -> Caller {
        guard lookUps.waitingCount < Core.mostLookUps else {
            throw refusal ?? CommandError.passOver
        }
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
