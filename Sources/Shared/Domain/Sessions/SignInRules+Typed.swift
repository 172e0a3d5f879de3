extension SignInRules {
    /// How long to wait before another code may be asked for on the same screen.
    public static let resendDelay: Duration = .seconds(30)

    /// The digits of what was typed or pasted, at most as many as a code has: "123 456" is a code,
    /// and so is a whole message with one in it.
    public static func code(typed text: String) -> String {
        var digits = ""
        for scalar in text.unicodeScalars where scalar.properties.numericType == .decimal {
            digits += scalar.properties.numericValue.map { String(Int($0)) } ?? ""
        }
        return String(digits.prefix(codeLength))
    }
}
