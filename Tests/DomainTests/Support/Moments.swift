import Domain
import Foundation

/// 1 March 2026, 12:00 UTC, the start of most tests.
let noon = Date(milliseconds: 1_772_366_400_000)

extension Date {
    var aMillisecondBefore: Date { adding(.milliseconds(-1)) }
    var aMillisecondAfter: Date { adding(.milliseconds(1)) }
}

extension NotificationText {
    /// The body for a reader in UTC, on the day of `noon`.
    var body: String { body(in: nil, at: noon) }
}

/// Returns the error that `rule` throws; nil if it succeeds.
func refusal<Value>(_ rule: () throws -> Value) -> CommandError? {
    do {
        _ = try rule()
        return nil
    } catch {
        return error as? CommandError
    }
}

extension CommandError {
    /// The field of an `invalidArgument` error; nil for other errors.
    var field: String? {
        guard case .invalidArgument(let field, _, _) = self else { return nil }
        return field
    }
}
