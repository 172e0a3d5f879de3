import Domain

/// The state of a form that asks for a six-digit code, which the server has sent.
public protocol CodeEntry {
    /// At most six digits.
    var verificationCode: String { get set }
    var isLoading: Bool { get }
    /// True in the step that asks for the code.
    var asksForCode: Bool { get }
}

extension CodeEntry {
    public var canConfirm: Bool {
        asksForCode && !isLoading && (try? SignInRules.code(verificationCode)) != nil
    }

    public var sendWords: String { isLoading ? "Sending …" : "Send code" }

    /// Enters what was typed or pasted.
    /// - Returns: true if the code has changed and is complete, so that it can be sent.
    mutating func enter(code text: String) -> Bool {
        let code = SignInRules.code(typed: text)
        guard asksForCode, !isLoading, code != verificationCode else { return false }
        verificationCode = code
        return canConfirm
    }
}
