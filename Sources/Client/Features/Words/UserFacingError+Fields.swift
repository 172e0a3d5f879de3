import Domain

/// A failure is told in one place: at the field it is about, else in a notice.
extension UserFacingError {
    /// The words at the field; nil for a failure that what was typed can't mend.
    public var fieldWords: String? {
        switch code {
        case "invalid-argument": message
        case "unauthenticated": "\(title). \(recoverySuggestion)"
        default: nil
        }
    }

    /// Itself, unless a field tells it.
    public var outsideOfFields: UserFacingError? { fieldWords == nil ? self : nil }
}
