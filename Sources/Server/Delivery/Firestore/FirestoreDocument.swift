import Domain
import Foundation

/// A value in Firestore's JSON format.
enum FirestoreValue: Codable, Equatable, Sendable {
    case text(String)
    case boolean(Bool)
    case number(Int64)
    case time(Date)
    case null
    /// A kind that this server never writes.
    case other

    private enum Key: String, CodingKey {
        case stringValue, booleanValue, integerValue, timestampValue, nullValue
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        switch container.allKeys.first {
        case .stringValue: self = .text(try container.decode(String.self, forKey: .stringValue))
        case .booleanValue:
            self = .boolean(try container.decode(Bool.self, forKey: .booleanValue))
        case .integerValue:
            // 64-bit numbers are strings in JSON.
            let text = try container.decode(String.self, forKey: .integerValue)
            self = Int64(text).map { .number($0) } ?? .other
        case .timestampValue:
            let text = try container.decode(String.self, forKey: .timestampValue)
            self = Timestamp.date(text).map { .time($0) } ?? .other
        case .nullValue: self = .null
        case nil: self = .other
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .text(let text): try container.encode(text, forKey: .stringValue)
        case .boolean(let value): try container.encode(value, forKey: .booleanValue)
        case .number(let number): try container.encode("\(number)", forKey: .integerValue)
        case .time(let time): try container.encode(Timestamp.text(time), forKey: .timestampValue)
        case .null, .other: try container.encodeNil(forKey: .nullValue)
        }
    }
}

extension FirestoreValue {
    init(_ text: String?) { self = text.map { .text($0) } ?? .null }
    init(_ time: Date?) { self = time.map { .time($0) } ?? .null }
}

struct FirestoreDocument: Codable, Equatable, Sendable {
    /// The full path, as `projects/ID/databases/(default)/documents/users/…`.
    var name: String
    var fields: [String: FirestoreValue]
    /// When the document last changed, by Google's clock. Only in answers.
    var updateTime: String?

    /// The last part of the path.
    var id: String { name.split(separator: "/").last.map(String.init) ?? "" }

    /// nil for another program's document, whose id has another form.
    var userID: UserID? { UserID(id).flatMap { "\($0)" == id ? $0 : nil } }
}

extension FirestoreDocument {
    private enum Key: String, CodingKey { case name, fields, updateTime }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        name = try container.decode(String.self, forKey: .name)
        // Firestore omits the fields of a document that has none.
        fields =
            try container.decodeIfPresent([String: FirestoreValue].self, forKey: .fields) ?? [:]
        updateTime = try container.decodeIfPresent(String.self, forKey: .updateTime)
    }
}

/// A write of a commit: a whole document, or a deletion.
struct FirestoreWrite: Encodable, Equatable, Sendable {
    struct Precondition: Encodable, Equatable, Sendable {
        var exists: Bool?
        var updateTime: String?

        /// Holds while the document is as it was read.
        init(unchanged document: FirestoreDocument?) {
            updateTime = document?.updateTime
            exists = updateTime == nil ? document != nil : nil
        }
    }

    var update: FirestoreDocument?
    var delete: String?
    var currentDocument: Precondition?

    static func update(
        _ name: String, _ fields: [String: FirestoreValue], if condition: Precondition? = nil
    ) -> Self {
        Self(
            update: FirestoreDocument(name: name, fields: fields), delete: nil,
            currentDocument: condition)
    }

    static func delete(_ name: String, if condition: Precondition? = nil) -> Self {
        Self(update: nil, delete: name, currentDocument: condition)
    }
}
