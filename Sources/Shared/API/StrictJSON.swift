import Domain
import Foundation

/// Decodes a payload and rejects unknown fields, so that a misspelled field causes an error.
public enum StrictJSON {
    /// Throws `invalidArgument` with the name of the unknown, missing, mistyped or invalid field.
    public static func decode<Value: Payload>(_ type: Value.Type, from bytes: Data)
        throws(CommandError) -> Value
    {
        let numbers: [String: String]
        do throws(JSONSyntax.Fault) {
            numbers = try JSONSyntax.check(bytes)
        } catch {
            switch error {
            case .malformed: throw notJSON
            case .tooDeep: throw .invalidArgument(field: "body", "The body is nested too deeply.")
            case .duplicate(let field):
                throw .invalidArgument(
                    field: String(field.prefix(100)), "This field is given twice.")
            }
        }
        do {
            return try WireJSON.decoder().decode(Strict<Value>.self, from: bytes).value
        } catch let error as CommandError {
            throw error
        } catch DecodingError.dataCorrupted(let context) where context.codingPath.isEmpty {
            // The syntax is valid, so a number doesn't fit its field. Foundation doesn't say which
            // field.
            guard let field = misfit(among: numbers, of: Value.schema) else { throw notJSON }
            throw .invalidArgument(field: field, "This value is not acceptable.")
        } catch let error as DecodingError {
            throw translate(error)
        } catch {
            throw notJSON
        }
    }

    private static let notJSON = CommandError.invalidArgument(
        field: "body", "The body is not valid JSON.")

    private static func misfit(among numbers: [String: String], of schema: Schema) -> String? {
        guard case .object(_, let fields, _) = schema else { return nil }
        return fields.first { field in
            guard let text = numbers[field.name], let number = Double(text) else { return false }
            return switch field.schema {
            case .integer where text.contains { ".eE".contains($0) }: Int(exactly: number) == nil
            case .integer: Int(text) == nil
            default: !number.isFinite
            }
        }?.name
    }

    private struct Strict<Value: Payload>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            _ = try decoder.container(keyedBy: AnyKey.self)
            try refuseUnknownFields(decoder, Value.schema)
            value = try Value(from: decoder)
        }
    }

    /// Throws `invalidArgument` for a field that the schema doesn't name, at any depth. Leaves
    /// values of a wrong type to the decoding.
    private static func refuseUnknownFields(
        _ decoder: any Decoder, _ schema: Schema
    ) throws {
        switch schema {
        case .object(_, let fields, _):
            guard let container = try? decoder.container(keyedBy: AnyKey.self) else { return }
            for key in container.allKeys {
                guard let field = fields.first(where: { $0.name == key.stringValue }) else {
                    throw CommandError.invalidArgument(
                        field: String(key.stringValue.prefix(100)), "There is no such field here.")
                }
                try refuseUnknownFields(try container.superDecoder(forKey: key), field.schema)
            }
        case .array(let element, _, _):
            guard case .object = element, var list = try? decoder.unkeyedContainer() else { return }
            while !list.isAtEnd { try refuseUnknownFields(try list.superDecoder(), element) }
        default: break
        }
    }

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    private static func translate(_ error: DecodingError) -> CommandError {
        switch error {
        case .keyNotFound(let key, let context):
            .invalidArgument(field: name(context.codingPath + [key]), "This field is missing.")
        case .valueNotFound(_, let context) where context.codingPath.isEmpty:
            .invalidArgument(field: "body", "The body must be a JSON object.")
        case .valueNotFound(_, let context):
            .invalidArgument(field: name(context.codingPath), "This field must have a value.")
        case .typeMismatch(_, let context) where context.codingPath.isEmpty:
            .invalidArgument(field: "body", "The body must be a JSON object.")
        case .typeMismatch(_, let context):
            .invalidArgument(field: name(context.codingPath), "This field has the wrong type.")
        case .dataCorrupted(let context):
            // This project's decoders write messages that begin with "must". Foundation's messages
            // are for programmers, so they are replaced.
            .invalidArgument(
                field: name(context.codingPath),
                context.debugDescription.hasPrefix("must ")
                    ? "This \(context.debugDescription)." : "This value is not acceptable."
            )
        @unknown default:
            .invalidArgument(field: "body", "The body can't be read.")
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
