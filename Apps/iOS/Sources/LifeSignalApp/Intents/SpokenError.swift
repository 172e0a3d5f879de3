import AppIntents
import Domain
import Foundation

/// An error whose text Siri and Shortcuts read out. Errors of other types get only a general text.
struct SpokenError: LocalizedError, CustomLocalizedStringResourceConvertible {
    let words: String

    init(_ error: UserFacingError) {
        words = [error.title, error.message, error.recoverySuggestion].filter { !$0.isEmpty }
            .map { $0.hasSuffix(".") ? $0 : "\($0)." }.joined(separator: " ")
    }

    var errorDescription: String? { words }
    var localizedStringResource: LocalizedStringResource { "\(words)" }

    static func saying<Value: Sendable>(
        _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        do { return try await work() } catch let error as UserFacingError {
            throw SpokenError(error)
        }
    }
}
