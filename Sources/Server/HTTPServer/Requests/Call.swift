import API
import Cryptography
import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1

/// A request, its context, and the parsing that handlers share.
struct Call: Sendable {
    /// The size of JSON in bytes that is decoded in about a millisecond. 250 kB take 20.
    static let shortBody = 16 * 1024

    let request: Request
    let context: LifeSignalContext

    func id<Tag>(_ name: String = "id") throws(CommandError) -> ID<Tag> {
        guard let id = context.parameters.get(name).flatMap({ ID<Tag>($0) }) else {
            throw .invalidArgument(field: name, "This must be a UUID.")
        }
        return id
    }

    /// Returns the client's idempotency key; nil if there is none. Throws `invalidArgument` unless
    /// it is a UUID.
    func idempotencyKey() throws(CommandError) -> UUID? {
        guard let text = request.headers[.idempotencyKey] else { return nil }
        guard let key = ID<Call>(text.trimmingCharacters(in: .whitespaces)) else {
            throw .invalidArgument(field: Endpoint.idempotencyKey, "This must be a UUID.")
        }
        return key.uuid
    }

    /// When the device sent the request, by its clock. An invalid header must not cost a check-in,
    /// so it counts as none.
    var sentAt: Date? { request.headers[.sentAt].flatMap(Timestamp.deviceTime) }

    /// Returns the page that the parameters `before` and `limit` select.
    func page() throws -> Page {
        let query = request.uri.queryParameters
        let before = try query["before"].map { text throws(CommandError) in
            try Page.Cursor(String(text))
        }
        let limit = try query["limit"].map { text throws(CommandError) in
            guard let limit = Int(text), text.utf8.allSatisfy(\.isASCIIDigit) else {
                throw .invalidArgument(field: "limit", "A page has 1 to 200 items.")
            }
            return limit
        }
        return try Page(before: before, limit: limit ?? Page.standardLimit)
    }

    func flag(_ name: String) throws(CommandError) -> Bool {
        guard let text = request.uri.queryParameters[name[...]] else { return false }
        guard let flag = Bool(String(text)) else {
            throw .invalidArgument(field: name, "This must be true or false.")
        }
        return flag
    }

    func time(_ name: String) throws(CommandError) -> Date? {
        guard let text = request.uri.queryParameters[name[...]] else { return nil }
        guard let time = Timestamp.date(String(text)) else {
            throw .invalidArgument(
                field: name, "Give a time such as 2026-01-31T08:00:00Z, in the years 2000 to 2099.")
        }
        return time
    }

    /// Decodes the JSON body. Throws `payloadTooLarge`, `unsupportedMediaType`
    /// or `invalidArgument`.
    /// - Parameter limit: the maximum size of the body, in bytes.
    func body<Input: Payload>(
        _ type: Input.Type, limit: Int = Endpoint.bodyLimit
    ) async throws -> Input {
        if type == Empty.self, let empty = Empty() as? Input { return empty }
        let absent = (type as? any OptionalPayload.Type)?.init() as? Input
        if let absent, isWithoutBody { return absent }
        let bytes = try await bytes(
            of: ["application/json"], limit: limit, mayBeEmpty: absent != nil)
        if let absent, bytes.isEmpty { return absent }
        guard bytes.count > Self.shortBody else { return try StrictJSON.decode(type, from: bytes) }
        return try await withTaskExecutorPreference(context.longWork) {
            try StrictJSON.decode(type, from: bytes)
        }
    }

    /// True if the headers show that the client sends no body. A client may name a media type even
    /// so: libcurl does for each POST.
    private var isWithoutBody: Bool {
        guard request.headers[.transferEncoding] == nil else { return false }
        guard let length = request.headers[.contentLength] else {
            return request.headers[.contentType] == nil
        }
        return length == "0"
    }

    /// - Parameter mayBeEmpty: true if an empty body without a declared length needs no media type.
    ///   curl names a type for a PUT without a body, and some clients send an empty chunked body.
    func bytes(
        of mediaTypes: [String], limit: Int, mayBeEmpty: Bool = false
    ) async throws -> Data {
        let length = request.headers[.contentLength]
        if mayBeEmpty, length == nil {
            let bytes = try await collectedBytes(limit: limit)
            if !bytes.isEmpty { try checkMediaType(isOneOf: mediaTypes) }
            return bytes
        }
        try checkMediaType(isOneOf: mediaTypes)
        if let length = length.flatMap({ Int($0) }), length > limit {
            throw CommandError.payloadTooLarge(limitInBytes: limit)
        }
        return try await collectedBytes(limit: limit)
    }

    private func checkMediaType(isOneOf mediaTypes: [String]) throws {
        let mediaType = request.headers[.contentType]?.split(separator: ";").first?
            .trimmingCharacters(in: .whitespaces).lowercased()
        guard let mediaType, mediaTypes.contains(mediaType) else {
            throw RequestError.unsupportedMediaType(expected: mediaTypes.joined(separator: " or "))
        }
    }

    private func collectedBytes(limit: Int) async throws -> Data {
        do {
            let buffer = try await request.body.collect(upTo: limit)
            return Data(buffer.readableBytesView)
        } catch is NIOTooManyBytesError {
            throw CommandError.payloadTooLarge(limitInBytes: limit)
        } catch let error as HTTPParserError {
            throw error
        } catch is ChannelError {
            throw CommandError.invalidArgument(field: "body", "The body is incomplete.")
        }
    }

    /// The alert pass in the request; nil if there is none. A pass allows a client to raise one
    /// alert.
    var alertPass: Token? {
        guard let header = request.headers[.authorization],
            header.lowercased().hasPrefix("alertpass ")
        else { return nil }
        return Token(header.dropFirst(10).trimmingCharacters(in: .whitespaces))
    }

    func token() throws(CommandError) -> Token {
        guard let header = request.headers[.authorization],
            header.lowercased().hasPrefix("bearer "),
            let token = Token(header.dropFirst(7).trimmingCharacters(in: .whitespaces))
        else {
            throw .unauthenticated("Send an access token: Authorization: Bearer …")
        }
        return token
    }
}

/// A call with an authenticated caller.
struct SignedInCall: Sendable {
    let call: Call
    let caller: Caller

    var request: Request { call.request }
    var context: LifeSignalContext { call.context }

    func id<Tag>() throws(CommandError) -> ID<Tag> { try call.id() }

    var sentAt: Date? { call.sentAt }

    func page() throws -> Page { try call.page() }

    func flag(_ name: String) throws(CommandError) -> Bool { try call.flag(name) }

    func time(_ name: String) throws(CommandError) -> Date? { try call.time(name) }

    func idempotencyKey() throws(CommandError) -> UUID? { try call.idempotencyKey() }
}
