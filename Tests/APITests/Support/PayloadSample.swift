import API
import Domain
import Foundation
import SchemaValidation
import Testing

/// A payload type with two values: a complete one and a minimal one.
struct PayloadSample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let schema: Schema
    let full: JSON
    let minimal: JSON
    /// Decodes bytes as this type, and encodes the value again. Throws `CommandError` if decoding
    /// fails.
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

    /// Returns the sample's JSON. If the sample can't be encoded, returns `null`, which makes the
    /// tests fail.
    private static func json<Value: Payload>(_ value: Value) -> JSON {
        (try? WireJSON.encoder().encode(value)).flatMap { try? JSON($0) } ?? .null
    }
}

/// Returns the error that decoding throws; nil if it succeeds.
func refusal<Value>(_ work: () throws -> Value) -> CommandError? {
    do {
        _ = try work()
        return nil
    } catch {
        return error as? CommandError
    }
}

/// Returns the field that an error about a body names; nil if the body was accepted or rejected for
/// another reason.
func refusedField<Value>(_ work: () throws -> Value) -> String? {
    guard case .invalidArgument(let field, let detail, _) = refusal(work), !detail.isEmpty else {
        return nil
    }
    return field
}
