/// The reason why the server refused a command. Each case becomes one problem document (RFC 9457).
public enum CommandError: Error, Equatable, Sendable {
    /// The session is missing, ended or expired.
    case unauthenticated(String)
    /// The caller may see the item but not do this with it.
    case permissionDenied(String)
    /// The item doesn't exist, or the caller may not see it. The caller can't tell which.
    case notFound(String)
    case alreadyExists(String)
    /// A value breaks a rule. `field` is its name in the request. `reason` names the rule if
    /// several rules apply to the field.
    case invalidArgument(field: String, String, reason: InvalidInputReason? = nil)
    case payloadTooLarge(limitInBytes: Int)
    /// An administrator has locked the account, and the lock stops this.
    case accountLocked
    /// Too many attempts. `retryAfter` is the shortest wait before a retry can succeed.
    case rateLimited(retryAfter: Duration)
    /// The request is valid, but the server can't do it now.
    case unavailable(String)
}

/// The stable name of a broken rule, for fields that several rules apply to.
public enum InvalidInputReason: String, GrowingEnum, Sendable, CaseIterable {
    case ownCode = "own-code"
    case contactsFull = "contacts-full"
    /// The owner of the code has the maximum number of contacts.
    case otherContactsFull = "other-contacts-full"
    /// An administrator has locked the account of the code's owner.
    case codeHeld = "code-held"
    /// The last drill began less than a day ago.
    case drillToday = "drill-today"
    /// Today's budgets don't cover the drill's SMS and calls.
    case drillOverBudget = "drill-over-budget"
    /// No responder has accepted.
    case noResponders = "no-responders"
    case alertOpen = "alert-open"
    /// Only a check-in ends the alert.
    case missedCheckInAlert = "missed-check-in-alert"
    /// Only an arrival or a later return ends the alert.
    case journeyAlert = "journey-alert"
    case journeyRuns = "journey-runs"
    /// Another device has changed the pause since the press.
    case pauseChanged = "pause-changed"
    /// The caller must first request a code, and then send it with the request.
    case codeNeeded = "code-needed"
    /// The numbering plans call the number impossible. The person can confirm it with `isConfirmed`
    /// in the request.
    case confirmNumber = "confirm-number"
    /// A guest, who accepted an invitation without an account, has the number.
    case guestNumber = "guest-number"
    /// The contact is a guest, who can't accept a request.
    case guestContact = "guest-contact"
    /// The person has the maximum number of sources.
    case sourcesFull = "sources-full"
    /// The server sends no codes, so that only the operator's tokens sign in.
    case noCodes = "no-codes"
    /// A new account needs a token or an invitation.
    case tokenNeeded = "token-needed"
    /// The server takes no new accounts.
    case signUpClosed = "sign-up-closed"
    case tokenUnknown = "token-unknown"
    case tokenUsedUp = "token-used-up"
    case tokenExpired = "token-expired"
    case tokenRevoked = "token-revoked"
    /// The token signs in another number.
    case tokenOtherNumber = "token-other-number"
    /// The sign-in lock is on, and the code waits.
    case signInWaits = "sign-in-waits"
    /// A session has stopped the wait of the sign-in lock.
    case signInStopped = "sign-in-stopped"
    /// The recovery code is wrong, used or replaced.
    case recoveryCodeWrong = "recovery-code-wrong"
    /// The sign-in lock is on, so that a change needs a recovery code.
    case recoveryCodeNeeded = "recovery-code-needed"
    /// The recovery codes were made less than 7 days ago, and can't turn the sign-in lock off yet.
    case recoveryCodeTooNew = "recovery-code-too-new"
    /// The passkey is malformed, or its signature is wrong.
    case passkeyInvalid = "passkey-invalid"
    /// The account has no such passkey.
    case passkeyUnknown = "passkey-unknown"
    /// The passkey was made or used for another site.
    case passkeyOtherSite = "passkey-other-site"
    /// The challenge was used, or has expired.
    case passkeyTooLate = "passkey-too-late"
    /// The device has not checked who uses the passkey.
    case passkeyUnverified = "passkey-unverified"
    /// The passkey's counter went back.
    case passkeyCopied = "passkey-copied"
    /// The person has the maximum number of passkeys.
    case passkeysFull = "passkeys-full"
    case unknown

    public static let fallback = unknown
    /// The reasons that are sent.
    public static let allCases: [InvalidInputReason] = [
        .ownCode, .contactsFull, .otherContactsFull, .codeHeld, .drillToday, .drillOverBudget,
        .noResponders, .alertOpen, .missedCheckInAlert, .journeyAlert, .journeyRuns,
        .pauseChanged, .codeNeeded, .confirmNumber, .guestNumber, .guestContact, .sourcesFull,
        .noCodes, .tokenNeeded, .signUpClosed, .tokenUnknown, .tokenUsedUp, .tokenExpired,
        .tokenRevoked, .tokenOtherNumber, .signInWaits, .signInStopped, .recoveryCodeWrong,
        .recoveryCodeNeeded, .recoveryCodeTooNew, .passkeyInvalid, .passkeyUnknown,
        .passkeyOtherSite, .passkeyTooLate, .passkeyUnverified, .passkeyCopied, .passkeysFull,
    ]
}
