import Domain

extension UserFacingError {
    /// Converts an error from a client. An unexpected error gets a general text.
    public init(catching error: any Error) {
        switch error {
        case let error as UserFacingError: self = error
        case let error as CommandError: self.init(error)
        default: self = .unknown
        }
    }

    /// The error as one line, for a state that stores text.
    public var text: String { "\(message) \(recoverySuggestion)" }
}

extension Result where Failure == UserFacingError, Success: Sendable {
    /// Returns the result of the work. Converts its error to a `UserFacingError`: `await
    /// send(.response(.userFacing { try await client.load() }))`.
    public static func userFacing(_ work: @Sendable () async throws -> Success) async -> Self {
        do {
            return .success(try await work())
        } catch {
            return .failure(UserFacingError(catching: error))
        }
    }
}

/// Shows an error in one place: at its field, or in a notice.
extension UserFacingError {
    /// The text at the field; nil for an error that typing can't correct.
    public var fieldWords: String? {
        switch ErrorCode(rawValue: code) {
        case .invalidArgument: message
        case .unauthenticated: "\(title). \(recoverySuggestion)"
        default: nil
        }
    }

    /// The error for a notice; nil if a field shows it.
    public var outsideOfFields: UserFacingError? { fieldWords == nil ? self : nil }
}
