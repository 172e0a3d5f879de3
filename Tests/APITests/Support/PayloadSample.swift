import API
import Domain
import Foundation
import SchemaValidation
import Testing

/// A payload type with everything filled in, and with nothing that may be absent.
struct PayloadSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    let full: JSON
    let minimal: JSON
    /// Reads bytes as this type and writes the value out again. Throws `CommandError`.
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

    /// The sample's JSON; `null`, which no test takes for a sample, when it can't be encoded.
    private static func json<Value: Payload>(_ value: Value) -> JSON {
        (try? WireJSON.encoder().encode(value)).flatMap { try? JSON($0) } ?? .null
    }
}

/// The refusal that a decoder throws; nil when it throws none.
func refusal<Value>(_ work: () throws -> Value) -> CommandError? {
    do {
        _ = try work()
        return nil
    } catch {
        return error as? CommandError
    }
}

/// The field that a refusal of a body names; nil when the body was taken, or refused for another
/// reason.
func refusedField<Value>(_ work: () throws -> Value) -> String? {
    guard case .invalidArgument(let field, let detail, _) = refusal(work), !detail.isEmpty else {
        return nil
    }
    return field
}
