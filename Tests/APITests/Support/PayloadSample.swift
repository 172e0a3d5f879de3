import API
import Domain
import Foundation
import SchemaValidation
import Testing

/// A complete and a minimal value of a payload type.
struct PayloadSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    let full: JSON
    let minimal: JSON
    /// Decodes and encodes bytes as this type. Throws `CommandError` if decoding fails.
    let roundTrip: @Sendable (Data) throws -> JSON

    init<Value: Payload & Equatable>(_ full: Value, minimal: Value? = nil) {
        testDescription = "\(Value.self)"
        schema = Value.schema
        self.full = Self.json(full)
        self.minimal = Self.json(minimal ?? full)
        roundTrip = { Self.json(try StrictJSON.decode(Value.self, from: $0)) }
    }

    var fields: [Schema.Field] { if case .object(_, let fields, _) = schema { fields } else { [] } }

    func with(_ field: String, _ value: JSON?) -> JSON {
        var object = full.object ?? [:]
        object[field] = value
        return .object(object)
    }

    /// Returns the sample's JSON, or `null` if encoding fails. `null` makes the tests fail.
    private static func json<Value: Payload>(_ value: Value) -> JSON {
        (try? WireJSON.encoder().encode(value)).flatMap { try? JSON($0) } ?? .null
    }
}

/// Returns the error that `work` throws; nil if it succeeds.
func refusal<Value>(_ work: () throws -> Value) -> CommandError? {
    do {
        _ = try work()
        return nil
    } catch {
        return error as? CommandError
    }
}

/// Returns the field of an `invalidArgument` error; nil for other results.
func refusedField<Value>(_ work: () throws -> Value) -> String? {
    guard case .invalidArgument(let field, let detail, _) = refusal(work), !detail.isEmpty else {
        return nil
    }
    return field
}
