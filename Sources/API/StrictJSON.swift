import Domain
import Foundation

/// Reads a payload and refuses what it does not know: a mistyped field is an error that names it, not a silent loss.
public enum StrictJSON {
    /// Throws `invalidArgument` naming the field that is unknown, missing, of the wrong type or not acceptable.
    public static func decode<Value: Payload>(_ type: Value.Type, from bytes: Data) throws(CommandError) -> Value {
        do {
            return try WireJSON.decoder().decode(Strict<Value>.self, from: bytes).value
        } catch let error as CommandError {
            throw error
        } catch let error as DecodingError {
            throw translate(error)
        } catch {
            throw .invalidArgument(field: "body", "The body is not valid JSON.")
        }
    }

    private struct Strict<Value: Payload>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: AnyKey.self)
            let known = Value.schema.fieldNames
            for key in container.allKeys where !known.contains(key.stringValue) {
                throw CommandError.invalidArgument(field: String(key.stringValue.prefix(100)), "There is no such field here.")
            }
            value = try Value(from: decoder)
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
        case .valueNotFound(_, let context):
            .invalidArgument(field: name(context.codingPath), "This field must have a value.")
        case .typeMismatch(_, let context) where context.codingPath.isEmpty:
            .invalidArgument(field: "body", "The body must be a JSON object.")
        case .typeMismatch(_, let context):
            .invalidArgument(field: name(context.codingPath), "This field has the wrong type.")
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            .invalidArgument(field: "body", "The body is not valid JSON.")
        case .dataCorrupted(let context):
            .invalidArgument(field: name(context.codingPath), "This value is not acceptable.")
        @unknown default:
            .invalidArgument(field: "body", "The body can't be read.")
        }
    }

    private static func name(_ path: [any CodingKey]) -> String {
        path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
    }
}
