import Clients
import Domain

/// The ways to sign in while the sign-in lock is on.
public struct LockedSignIn: Equatable, Sendable {
    public var passkeys: Int
    /// How many recovery codes are unused.
    public var recoveryCodes: Int

    public init(passkeys: Int, recoveryCodes: Int) {
        self.passkeys = passkeys
        self.recoveryCodes = recoveryCodes
    }

    /// Returns nil if the lock is off. Throws `UserFacingError` without an answer.
    public static func load(
        _ security: SignInSecurityClient, _ passkeys: PasskeyClient
    ) async throws -> LockedSignIn? {
        let known = try await security.security()
        guard known.isLocked else { return nil }
        let keys = try await passkeys.passkeys()
        return LockedSignIn(passkeys: keys.count, recoveryCodes: known.recoveryCodes)
    }

    /// True if each sign-in waits.
    var isOnlyCode: Bool { passkeys == 0 && recoveryCodes == 0 }

    /// Says how the user can sign in again.
    public var words: String {
        let wait = "The sign-in lock is on: a code waits 7 days before it signs you in"
        guard !isOnlyCode else {
            return "\(wait), and you have no passkey and no recovery codes."
        }
        let key = passkeys == 1 ? "your passkey" : "one of your \(passkeys) passkeys"
        let code =
            recoveryCodes == 1
            ? "your last recovery code" : "one of your \(recoveryCodes) recovery codes"
        let ways = [passkeys > 0 ? key : nil, recoveryCodes > 0 ? code : nil].compactMap(\.self)
        return "\(wait). You can sign in at once with \(ways.joined(separator: " or "))."
    }
}
