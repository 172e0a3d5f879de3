import Cryptography
import Domain
import Foundation
import Persistence

/// The sign-in lock: a code alone waits 7 days, and every session can stop it (product.md,
/// "Sign-in"). A thief who ports the SIM gets codes, but lacks a session.
public struct SignInLocks: Commands {
    public let core: Core
    let notifier: Notifier
    let accountNews: AccountNews
    let recovery: Recovery

    /// The shortest time between two text messages about turning the lock on. A recovery code turns
    /// it off at once, so an account could cause one message after the other.
    private static let pauseBetweenTexts: Duration = .days(1)

    private static let noWait = CommandError.notFound("No sign-in is waiting.")

    /// A sign-in that the lock holds back.
    struct Hold {
        var refusal: CommandError
        /// The number that gets a text message; nil if it gets none.
        var toldNumber: PhoneNumber?
    }

    public func security(of caller: Caller) async throws -> SignInSecurity {
        try await database.read { try $0.signInSecurity(of: caller.userID) }
    }

    private struct TurnedOn: Sendable {
        var security: SignInSecurity
        /// The number that gets a text message; nil if it gets none.
        var toldNumber: PhoneNumber?
    }

    /// Turns the lock on, or keeps it on before its end. The number gets a text message, at most
    /// one a day, because somebody with the unlocked phone can turn the lock on against its owner.
    public func turnOn(of caller: Caller) async throws -> SignInSecurity {
        let turned = try await database.write(about: Subjects([caller.userID])) {
            transaction -> TurnedOn in
            guard let user = try transaction.user(caller.userID) else {
                throw CommandError.noSuchUser
            }
            try checkSession(of: caller, in: transaction)
            let old = try transaction.signInLock(of: caller.userID)
            var toldNumber: PhoneNumber?
            if old == nil || old?.endsAt != nil {
                let wasOn = old.map {
                    SignInLockRules.isOn(endsAt: $0.endsAt, at: transaction.now)
                }
                if wasOn != true {
                    try transaction.deleteSignInWait(of: caller.userID)
                    toldNumber = try numberToTell(user, in: transaction)
                }
                try transaction.setSignInLock(
                    SignInLockRow(codesMadeAt: old?.codesMadeAt), of: caller.userID)
                try accountNews.announce(
                    .lockTurnedOn, doneBy: caller, isOncePerWindow: false, in: transaction)
            }
            return TurnedOn(
                security: try transaction.signInSecurity(of: caller.userID),
                toldNumber: toldNumber)
        }
        if let number = turned.toldNumber { sendText(number, NotificationText.signInLockIsOn) }
        return turned.security
    }

    /// Charges the text message about turning the lock on. Returns nil if the number gets none.
    private func numberToTell(
        _ user: UserRow, in transaction: Transaction
    ) throws -> PhoneNumber? {
        let begin = transaction.now.adding(.zero - Self.pauseBetweenTexts)
        guard let number = user.phoneNumber, user.smsStoppedAt == nil,
            try !transaction.hasRequest(RequestKeyRow.signInLockText, of: user.id, since: begin),
            try transaction.spend(.everyday, on: .sms, by: user.id, options.budgets)
        else { return nil }
        try transaction.insert(
            RequestKeyRow(request: RequestKeyRow.signInLockText),
            key: core.environment.makeID(), of: user.id)
        return number
    }

    /// Turns the lock off: at once with a recovery code, otherwise in 7 days, so that the owner
    /// can keep it on if somebody else has the unlocked phone. If another device ends the session
    /// that began the 7 days, the lock stays on. Throws `invalidArgument` for a wrong code, and for
    /// one that such a person can have made.
    public func turnOff(
        recoveryCode: String? = nil, of caller: Caller
    ) async throws -> SignInSecurity {
        let code = try recoveryCode.map { text throws(CommandError) in
            try RecoveryCodeRules.characters(typed: text)
        }
        return try await database.write(about: Subjects([caller.userID])) { transaction in
            let user = caller.userID
            try checkSession(of: caller, in: transaction)
            guard var lock = try transaction.signInLock(of: user),
                SignInLockRules.isOn(endsAt: lock.endsAt, at: transaction.now)
            else { return try transaction.signInSecurity(of: user) }
            if let code {
                guard SignInLockRules.codesUnlock(madeAt: lock.codesMadeAt, at: transaction.now)
                else { throw Recovery.codeTooNew }
                guard try recovery.take(code, of: user, in: transaction) else {
                    throw Recovery.wrongCode
                }
                try transaction.deleteSignInLock(of: user)
                try transaction.deleteSignInWait(of: user)
                try recovery.announceUse(by: caller, in: transaction)
                try accountNews.announce(
                    .lockTurnedOff, doneBy: caller, isOncePerWindow: false, in: transaction)
            } else if lock.endsAt == nil {
                let end = transaction.now.adding(SignInLockRules.wait)
                lock.endsAt = end
                try transaction.setSignInLock(lock, of: user)
                try transaction.recordLockEnd(by: caller, key: core.environment.makeID())
                try accountNews.announce(
                    .lockEnds(at: end), doneBy: caller, isOncePerWindow: false, in: transaction)
            }
            return try transaction.signInSecurity(of: user)
        }
    }

    /// Stops the sign-in that waits. No other can begin for 7 days. Throws `notFound`.
    public func stopWait(of caller: Caller) async throws -> SignInSecurity {
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard var row = try transaction.signInWait(of: caller.userID), row.stoppedAt == nil,
                try transaction.signInSecurity(of: caller.userID).wait != nil
            else { throw Self.noWait }
            row.stoppedAt = transaction.now
            try transaction.save(row, of: caller.userID)
            try accountNews.announce(
                .signInWaitStopped, doneBy: caller, isOncePerWindow: false, in: transaction)
            return try transaction.signInSecurity(of: caller.userID)
        }
    }

    /// Holds a right code or link back while the lock is on. Returns nil if it may sign in: the
    /// lock is off, or the wait is over. Begins a wait and tells all sessions. The number gets a
    /// text message, unless the device has signed in before.
    func hold(
        _ user: UserRow, _ deviceName: String, by asker: CodeAsker, in transaction: Transaction
    ) throws -> Hold? {
        guard user.guestSince == nil, let lock = try transaction.signInLock(of: user.id),
            SignInLockRules.isOn(endsAt: lock.endsAt, at: transaction.now)
        else { return nil }
        let last = try transaction.signInWait(of: user.id)
        switch SignInLockRules.outcome(
            endsAt: last?.wait.endsAt, stoppedAt: last?.stoppedAt, at: transaction.now)
        {
        case .signsIn:
            try transaction.deleteSignInWait(of: user.id)
            return nil
        case .waits(let end):
            return Hold(refusal: Self.refusal(.signInWaits, until: end, at: transaction.now))
        case .refused(let end):
            return Hold(refusal: Self.refusal(.signInStopped, until: end, at: transaction.now))
        case .begins(let end):
            let wait = SignInWait(
                deviceName: deviceName, startedAt: transaction.now, endsAt: end)
            try transaction.save(SignInWaitRow(wait), of: user.id)
            try notifier.notify(
                Recipient(user).whateverIsMuted,
                Notice(text: .signInWaits(device: deviceName, until: end), cannotBeMuted: true),
                in: transaction)
            return Hold(
                refusal: Self.refusal(.signInWaits, until: end, at: transaction.now),
                toldNumber: try isNumberTold(user, by: asker, in: transaction)
                    ? user.phoneNumber : nil)
        }
    }

    /// Ends the wait when the person has signed in, because any later code could use it. A stop
    /// stays in force.
    func endWait(of user: UserID, in transaction: Transaction) throws {
        guard let row = try transaction.signInWait(of: user), row.stoppedAt == nil else { return }
        try transaction.deleteSignInWait(of: user)
    }

    private func isNumberTold(
        _ user: UserRow, by asker: CodeAsker, in transaction: Transaction
    ) throws -> Bool {
        guard let number = user.phoneNumber, user.smsStoppedAt == nil else { return false }
        if let device = asker.deviceKey.map({ key.hash(deviceKey: $0.uuid) }),
            try transaction.isKnown(device: device, to: number)
        {
            return false
        }
        return try transaction.spend(.alertBegin, on: .sms, by: user.id, options.budgets)
    }

    /// Gives the time in UTC: the person who enters the code may not be the owner, whose zone is
    /// private.
    private static func refusal(
        _ reason: InvalidInputReason, until end: Date, at now: Date
    ) -> CommandError {
        let time = Timestamp.clockTime(end, in: nil, at: now)
        return .invalidArgument(
            field: "code", RefusalWords.heldBack(reason, until: time).detail, reason: reason)
    }
}
