import Cryptography
import Domain
import Foundation
import Persistence

/// Recovery codes, which sign in without a text message (product.md, "Sign-in").
public struct Recovery: Commands {
    public let core: Core
    let accountNews: AccountNews

    /// The same for a wrong code, a used one and an unknown number.
    static let wrongCode = CommandError.invalidArgument(
        field: "recoveryCode", RefusalWords.recoveryCodeWrong.detail, reason: .recoveryCodeWrong)

    /// Makes ten codes, which replace the old ones. They can't be shown again, because the server
    /// stores only their hashes. Throws `invalidArgument` for a missing or wrong old code.
    /// - Parameter old: an unused code, required while the sign-in lock is on. Otherwise somebody
    ///   with the unlocked phone could take the codes away from the owner. New codes that are made
    ///   without an old one can't turn the lock off for 7 days, and need no old one to be replaced.
    /// - Parameter request: the client's id of this request. A repeat gets the same codes and needs
    ///   no old one, because the first answer may be lost. This holds while all of them are unused,
    ///   also after `RequestKeyRules.kept`. Throws `alreadyExists` once one of them was used or
    ///   replaced.
    public func makeCodes(
        old: String? = nil, of caller: Caller, request: UUID? = nil
    ) async throws -> RecoveryCodes {
        let old = try old.map { text throws(CommandError) in
            try RecoveryCodeRules.characters(typed: text)
        }
        let user = caller.userID.uuid
        let codes = (0..<RecoveryCodeRules.count).map { index in
            let bytes = request.map {
                key.recoveryCodeBytes(of: user, request: $0, index: UInt8(index))
            }
            return RecoveryCodeRules.code(
                random: bytes.map { Data($0.prefix(RecoveryCodeRules.bytes)) }
                    ?? random(RecoveryCodeRules.bytes))
        }
        let requestID = request.map { key.recoveryRequestID(of: user, request: $0) }
        let hashes = try codes.map { try hash($0, of: caller.userID) }
        try await database.write(about: Subjects([caller.userID])) { transaction in
            guard try transaction.user(caller.userID) != nil else { throw CommandError.noSuchUser }
            try checkSession(of: caller, in: transaction)
            if request != nil {
                let unused = try unusedCount(codes, of: caller.userID, in: transaction)
                if unused == codes.count { return }
                // A used code must not work again, also after `RequestKeyRules.kept`.
                guard unused == 0 else { throw Self.codesGone }
            }
            guard try !isRepeat("recoveryCodes", requestID, of: caller, in: transaction) else {
                throw Self.codesGone
            }
            try admitNewCodes(old: old, of: caller.userID, in: transaction)
            try transaction.setRecoveryCodes(hashes, of: caller.userID)
            try accountNews.announce(
                .newRecoveryCodes, doneBy: caller, isOncePerWindow: false, in: transaction)
        }
        return RecoveryCodes(codes: codes)
    }

    /// Uses up the old code, or notes that the new ones are made without one. Throws
    /// `invalidArgument` for a missing or wrong old code.
    private func admitNewCodes(
        old: String?, of user: UserID, in transaction: Transaction
    ) throws {
        var lock = try transaction.signInLock(of: user) ?? .off
        let isOn = SignInLockRules.isOn(endsAt: lock.endsAt, at: transaction.now)
        if isOn, try transaction.recoveryCodes(of: user) > 0 {
            if let old, try take(old, of: user, in: transaction) { return }
            // Somebody with the unlocked phone may have made codes that are newer. The owner must
            // be able to replace them.
            guard !SignInLockRules.codesUnlock(madeAt: lock.codesMadeAt, at: transaction.now)
            else { throw old == nil ? Self.codeNeeded : Self.wrongCode }
        }
        lock.codesMadeAt = transaction.now
        try transaction.setSignInLock(lock, of: user)
    }

    private static let codesGone = CommandError.alreadyExists(
        RefusalWords.recoveryCodesGone.detail)

    /// Returns how many of these are unused codes of the person.
    private func unusedCount(
        _ codes: [String], of user: UserID, in connection: any SQLConnection
    ) throws -> Int {
        let stored = try connection.recoveryCodeHashes(of: user)
        return try codes.count { code in
            let characters = try RecoveryCodeRules.characters(typed: code)
            return key.hashes(recoveryCode: characters, of: user.uuid)
                .contains { stored.contains($0) }
        }
    }

    static let codeTooNew = CommandError.invalidArgument(
        field: "recoveryCode", RefusalWords.recoveryCodeTooNew.detail, reason: .recoveryCodeTooNew)

    private static let codeNeeded = CommandError.invalidArgument(
        field: "recoveryCode", RefusalWords.recoveryCodeNeeded.detail, reason: .recoveryCodeNeeded)

    /// Uses up a code. Returns false for a wrong, used or replaced one.
    /// - Parameter characters: the code without hyphens.
    func take(
        _ characters: String, of user: UserID, in transaction: Transaction
    ) throws -> Bool {
        try isProven(in: transaction) {
            try transaction.useRecoveryCode(
                key.hashes(recoveryCode: characters, of: user.uuid), of: user)
        }
    }

    func announceUse(by caller: Caller, in transaction: Transaction) throws {
        let left = try transaction.recoveryCodes(of: caller.userID)
        try accountNews.announce(
            .recoveryCodeUsed(left: left), doneBy: caller, isOncePerWindow: false, in: transaction)
    }

    private func hash(_ code: String, of user: UserID) throws -> Data {
        key.hash(
            recoveryCode: try RecoveryCodeRules.characters(typed: code), of: user.uuid)
    }
}
