import Foundation

// Old clients must still show what a newer server sends. A tolerant decoder replaces an unknown
// value of a `GrowingEnum` by its fallback and leaves out unreadable elements of a `GrowingList`. A
// missing list becomes empty. New fields are optional or `GrowingList`s. The server reads requests
// strictly (`StrictJSON`).

extension WireJSON {
    /// Returns a decoder for answers, events, and the copies that a client stores of them.
    public static func tolerantDecoder() -> JSONDecoder {
        let decoder = decoder()
        if let key = CodingUserInfoKey.isTolerant { decoder.userInfo[key] = true }
        return decoder
    }
}

extension CodingUserInfoKey {
    fileprivate static let isTolerant = CodingUserInfoKey(rawValue: "app.lifesignal.isTolerant")
}

extension Decoder {
    public var isTolerant: Bool {
        CodingUserInfoKey.isTolerant.flatMap { userInfo[$0] as? Bool } ?? false
    }
}

/// An enumeration that a newer server may extend.
public protocol GrowingEnum: RawRepresentable<String>, Codable {
    /// Clients decode this for a value that only newer servers know.
    static var fallback: Self { get }
}

extension GrowingEnum {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(rawValue: text) ?? (decoder.isTolerant ? Self.fallback : nil) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no value of \(Self.self)")
        }
        self = value
    }
}

/// A list in an answer, encoded as a plain array. An old client leaves out elements it can't read.
@propertyWrapper
public struct GrowingList<Item> {
    public var wrappedValue: [Item]

    public init(wrappedValue: [Item]) { self.wrappedValue = wrappedValue }
}

extension GrowingList: Sendable where Item: Sendable {}
extension GrowingList: Equatable where Item: Equatable {}

extension GrowingList: Encodable where Item: Encodable {
    public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension GrowingList: Decodable where Item: Decodable {
    public init(from decoder: any Decoder) throws {
        wrappedValue =
            decoder.isTolerant
            ? try [Attempt](from: decoder).compactMap(\.item) : try [Item](from: decoder)
    }

    private struct Attempt: Decodable {
        let item: Item?

        init(from decoder: any Decoder) throws { item = try? Item(from: decoder) }
    }
}

extension KeyedDecodingContainer {
    /// Synthesized decoders call this overload for a `GrowingList`.
    public func decode<Item: Decodable>(
        _ type: GrowingList<Item>.Type, forKey key: Key
    ) throws -> GrowingList<Item> {
        guard contains(key) else {
            if try superDecoder(forKey: key).isTolerant { return GrowingList(wrappedValue: []) }
            throw DecodingError.keyNotFound(
                key, .init(codingPath: codingPath, debugDescription: "this list is missing"))
        }
        return try GrowingList(from: superDecoder(forKey: key))
    }
}
