import Foundation

/// An id in 22 characters: base64 without padding.
enum ShortID {
    static func encode(_ id: UUID) -> String {
        String(withUnsafeBytes(of: id.uuid) { Data($0) }.base64EncodedString().dropLast(2))
    }

    static func decode(_ text: Substring) -> UUID? {
        guard let data = Data(base64Encoded: text + "=="), data.count == 16 else { return nil }
        return data.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
