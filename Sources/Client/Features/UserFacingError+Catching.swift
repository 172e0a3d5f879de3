import Domain

extension UserFacingError {
    /// The words for whatever a client threw. A failure that nobody foresaw gets the words for
    /// that.
    public init(catching error: any Error) {
        switch error {
        case let error as UserFacingError: self = error
        case let error as CommandError: self.init(error)
        default: self = .unknown
        }
    }

    /// The error on one line, for a state whose error is a text.
    public var text: String { "\(message) \(recoverySuggestion)" }
}

extension Result where Failure == UserFacingError, Success: Sendable {
    /// The result of the work, or a `UserFacingError` for its failure: `await
    /// send(.response(.userFacing { try await client.load() }))`.
    public static func userFacing(_ work: @Sendable () async throws -> Success) async -> Self {
        do {
            return .success(try await work())
        } catch {
            return .failure(UserFacingError(catching: error))
        }
    }
}
