import Domain
import Foundation

/// 1 March 2026, 12:00 UTC: the moment at which most stories of this suite begin.
let noon = Date(milliseconds: 1_772_366_400_000)

extension Date {
    var aMillisecondBefore: Date { adding(.milliseconds(-1)) }
    var aMillisecondAfter: Date { adding(.milliseconds(1)) }
}

/// The refusal that a rule throws; nil when it throws none.
func refusal<Value>(_ rule: () throws -> Value) -> CommandError? {
    do {
        _ = try rule()
        return nil
    } catch {
        return error as? CommandError
    }
}

extension CommandError {
    /// The field that an invalid argument names.
    var field: String? {
        guard case .invalidArgument(let field, _, _) = self else { return nil }
        return field
    }
}
