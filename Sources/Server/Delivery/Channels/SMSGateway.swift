import Domain
import Foundation
import HTTPClient

/// The HTTP request of an SMS gateway, from the operator's file (Docs/gateways.md). `{to}`,
/// `{text}`, `{from}` and `{secret}` are placeholders. Their values are percent-encoded in the URL
/// and in a form, and JSON-escaped in JSON.
public struct SMSGateway: Sendable, Equatable {
    public var method: String
    public var url: String
    public var headers: [String: String]
    public var form: [String: String]?
    public var json: JSONTemplate?
    /// The HTTP statuses that mean success.
    public var success: Set<Int>
    /// The path to the message's id in the JSON response.
    public var id: [String]
    /// Whether a response without the id is a failure. Some gateways answer 200 to errors.
    public var isIDRequired: Bool

    private static let names: Set = ["to", "text", "from", "secret"]
    private static let namesInHeaders: Set = ["secret", "from", "to"]

    private struct File: Decodable {
        var method: String?
        var url: String
        var headers: [String: String]?
        var form: [String: String]?
        var json: JSONTemplate?
        var success: [Int]?
        var id: String?
        var idRequired: Bool?
    }

    /// Throws `SMSGatewayError`, which names the mistake in the file.
    public init(file: Data) throws(SMSGatewayError) {
        let file = try Self.decode(file)
        method = (file.method ?? "POST").uppercased()
        url = file.url
        headers = file.headers ?? [:]
        form = file.form
        json = file.json
        success = Set(file.success ?? Array(200...299))
        id = file.id.map { $0.split(separator: ".").map(String.init) } ?? []
        isIDRequired = file.idRequired ?? false
        guard ["GET", "POST", "PUT"].contains(method) else {
            throw .init("\"method\" must be GET, POST or PUT.")
        }
        guard form == nil || json == nil else {
            throw .init("Give \"form\" or \"json\", not both.")
        }
        guard method != "GET" || form == nil && json == nil else {
            throw .init("GET has no body: put {to} and {text} into \"url\".")
        }
        guard !success.isEmpty, success.allSatisfy({ (200...399).contains($0) }) else {
            throw .init("\"success\" must be a list of statuses from 200 to 399.")
        }
        guard !isIDRequired || !id.isEmpty else {
            throw .init("\"idRequired\" needs \"id\".")
        }
        try checkAddress()
        try checkTexts()
    }

    private static func decode(_ data: Data) throws(SMSGatewayError) -> File {
        guard let object = try? JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            throw .init("It is not a JSON object.")
        }
        let known = [
            "method", "url", "headers", "form", "json", "success", "id", "idRequired",
        ]
        if let other = object.keys.sorted().first(where: { !known.contains($0) }) {
            throw .init("\"\(other)\" is unknown. Known are \(known.joined(separator: ", ")).")
        }
        do {
            return try JSONDecoder().decode(File.self, from: data)
        } catch DecodingError.keyNotFound(let key, _) {
            throw .init("\"\(key.stringValue)\" is missing.")
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(
            _, let context)
        {
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            throw .init("\"\(path)\" has a value of the wrong kind.")
        } catch {
            throw .init("It can't be read.")
        }
    }

    public var host: String? { URL(string: fill(url, with: { _ in "1" }))?.host }

    /// Checks that the host is fixed, so that no value can redirect a message.
    private func checkAddress() throws(SMSGatewayError) {
        let sample = fill(url, with: { _ in "1" })
        guard let address = URL(string: sample), let scheme = address.scheme?.lowercased(),
            ["https", "http"].contains(scheme), let host = address.host, !host.isEmpty,
            address.user == nil, address.password == nil
        else { throw .init("\"url\" must be like https://gateway.example.org/send.") }
        let start = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
            .prefix(3).joined()
        guard !start.contains("{") else {
            throw .init("\"url\" must name its host itself, without {…}.")
        }
        // Messages have sign-in codes, and headers the gateway's password.
        guard scheme == "https" || NearHost.isInOwnNetwork(host) else {
            throw .init("\"url\" must be https, or http to an address of your own network.")
        }
    }

    private func checkTexts() throws(SMSGatewayError) {
        for (name, value) in headers {
            guard !name.isEmpty, name.utf8.allSatisfy(Self.isHeaderName),
                value.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
            else { throw .init("The header \"\(name)\" can't be sent.") }
            if let other = Self.placeholders(value).subtracting(Self.namesInHeaders).sorted().first
            {
                throw .init("The header \"\(name)\" can't hold {\(other)}.")
            }
        }
        let texts = [url] + (form.map { Array($0.values) } ?? []) + (json?.texts ?? [])
        let used = texts.reduce(into: Set<String>()) { $0.formUnion(Self.placeholders($1)) }
        if let other = used.subtracting(Self.names).sorted().first {
            throw .init("{\(other)} is unknown. Known are {to}, {text}, {from} and {secret}.")
        }
        for name in ["to", "text"] where !used.contains(name) {
            throw .init("{\(name)} is missing.")
        }
    }

    public var usesSecret: Bool { uses("secret") }
    public var usesSender: Bool { uses("from") }

    private func uses(_ name: String) -> Bool {
        let texts =
            [url] + Array(headers.values) + (form.map { Array($0.values) } ?? [])
            + (json?.texts ?? [])
        return texts.contains { Self.placeholders($0).contains(name) }
    }

    private static func isHeaderName(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    static func placeholders(_ text: String) -> Set<String> {
        Set(text.matches(of: /\{([A-Za-z]+)\}/).map { String($0.1) })
    }

    /// Replaces the placeholders by their values. Braces in a value stay, because there is only one
    /// pass.
    func fill(_ text: String, with value: (String) -> String?) -> String {
        text.replacing(/\{([A-Za-z]+)\}/) { value(String($0.1)) ?? String($0.0) }
    }
}

public struct SMSGatewayError: Error, Equatable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }
}

/// JSON with placeholders in its strings.
public indirect enum JSONTemplate: Sendable, Equatable, Codable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSONTemplate])
    case object([String: JSONTemplate])

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([JSONTemplate].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: JSONTemplate].self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }

    var texts: [String] {
        switch self {
        case .text(let text): [text]
        case .list(let values): values.flatMap(\.texts)
        case .object(let values): values.values.flatMap(\.texts)
        case .null, .bool, .number: []
        }
    }

    func map(_ change: (String) -> String) -> JSONTemplate {
        switch self {
        case .text(let text): .text(change(text))
        case .list(let values): .list(values.map { $0.map(change) })
        case .object(let values): .object(values.mapValues { $0.map(change) })
        case .null, .bool, .number: self
        }
    }

    /// Returns the string or number at a path such as `messages.0.id`.
    func value(at path: [String]) -> String? {
        guard let step = path.first else {
            switch self {
            case .text(let text): return text
            case .number(let number):
                return Int64(exactly: number).map { String($0) } ?? String(number)
            default: return nil
            }
        }
        let rest = Array(path.dropFirst())
        switch self {
        case .object(let values): return values[step]?.value(at: rest)
        case .list(let values):
            guard let index = Int(step), values.indices.contains(index) else { return nil }
            return values[index].value(at: rest)
        default: return nil
        }
    }
}
