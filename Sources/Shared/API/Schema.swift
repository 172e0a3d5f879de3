import Domain

/// The shape of a payload. The server rejects fields that the schema doesn't name. Tests compare
/// the types with their schemas.
public indirect enum Schema: Sendable, Equatable {
    case string(length: ClosedRange<Int>? = nil, pattern: String? = nil, format: String? = nil)
    case enumeration([String])
    case integer(ClosedRange<Int>)
    case number
    case boolean
    case array(of: Schema, limit: Int? = nil, isUnique: Bool = false)
    /// `anyTrue`: at least one of these fields must be true.
    case object(String, [Field], anyTrue: [String] = [])
    case nullable(Schema)
    /// No body.
    case none

    public struct Field: Sendable, Equatable {
        public var name: String
        public var schema: Schema
        public var isRequired: Bool

        public static func required(_ name: String, _ schema: Schema) -> Field {
            Field(name: name, schema: schema, isRequired: true)
        }
        public static func optional(_ name: String, _ schema: Schema) -> Field {
            Field(name: name, schema: schema, isRequired: false)
        }
    }

    public static let uuid = Schema.string(format: "uuid")
    public static let time = Schema.string(format: "date-time")
    public static let url = Schema.string(format: "uri")
    public static let phoneNumber = Schema.string(length: 8...16, pattern: #"^\+[1-9][0-9]{6,14}$"#)

    /// A number as people type it. The server converts it to E.164.
    public static let typedPhoneNumber = Schema.string(
        length: 5...PhoneNumber.longestTyped, pattern: #"^[0-9+(). /-]+$"#)

    /// The names of an object's fields; empty for other shapes.
    public var fieldNames: Set<String> {
        guard case .object(_, let fields, _) = self else { return [] }
        return Set(fields.map(\.name))
    }
}

/// A value in a request's or response's body. In types that the server reads, `schema` is a stored
/// property.
public protocol Payload: Codable, Sendable {
    static var schema: Schema { get }
}

/// A body that may be left out. The server then uses `init()`.
public protocol OptionalPayload: Payload {
    init()
}

public struct Empty: OptionalPayload, Equatable {
    public static let schema = Schema.none
    public init() {}
}

/// A page of a list, newest first.
public struct List<Item: Payload>: Payload {
    @GrowingList public var items: [Item]
    /// The value of `before` for the next page; nil on the last page.
    public var next: String?

    public init(items: [Item], next: String? = nil) {
        self.items = items
        self.next = next
    }

    public static var schema: Schema {
        guard case .object(let name, _, _) = Item.schema else { return .none }
        return .object(
            "\(name)List",
            [.required("items", .array(of: Item.schema)), .optional("next", .string())])
    }
}

extension List: Equatable where Item: Equatable {}
