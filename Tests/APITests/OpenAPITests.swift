import API
import Domain
import Foundation
import SchemaValidation
import Testing

@Suite struct OpenAPITests {
    private static let read = Result { try JSON(try OpenAPIDocument.json()) }

    private func document() throws -> JSON { try Self.read.get() }

    private func operation(_ endpoint: Endpoint) throws -> JSON {
        let paths = try #require(try document()["paths"])
        return try #require(paths[endpoint.path]?[endpoint.method.rawValue.lowercased()])
    }

    @Test func documentNamesItselfInAStableOrder() throws {
        let document = try document()
        #expect(document["openapi"]?.string?.hasPrefix("3.1") == true)
        #expect(document["info"]?["title"]?.string == "LifeSignal")
        #expect(document["info"]?["version"]?.string == "1")
        #expect(
            try OpenAPIDocument.json() == OpenAPIDocument.json(), "the order is the same each time")
    }

    @Test(arguments: [("", "/"), ("/", "/"), ("/lifesignal", "/lifesignal"), ("/a1/b/", "/a1/b")])
    func serversNameThePath(path: String, url: String) throws {
        let prefix = try #require(PathPrefix(path))
        let text = String(decoding: try OpenAPIDocument.json(below: prefix), as: UTF8.self)
        #expect(text.contains(#""servers":[{"url":"\#(url)"}]"#))
    }

    @Test(arguments: Routes.all.map(\.operationID)) func aRouteIsDescribed(operationID: String)
        throws
    {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        let operation = try operation(endpoint)
        #expect(operation["operationId"]?.string == operationID)
        #expect(operation["summary"]?.string?.isEmpty == false)
        #expect((operation["security"] != nil) == (endpoint.access == .session))
        #expect((operation["requestBody"] != nil) == (endpoint.input != .none))
        let responses = try #require(operation["responses"]?.object)
        let statuses: [Int] = [endpoint.status] + endpoint.allErrors.map(\.status)
        #expect(Set(responses.keys) == Set(statuses.map { String($0) }))
        for code in endpoint.allErrors where operationID != "ready" || code != .unavailable {
            #expect(
                responses[String(code.status)]?["content"]?[Problem.contentType] != nil, "\(code)")
        }
        #expect(responses["429"]?["headers"]?["Retry-After"] != nil)
        #expect(
            (responses[String(endpoint.status)]?["content"] != nil) == (endpoint.output != .none))
    }

    @Test(arguments: Routes.all.map(\.operationID)) func itsParametersAreDescribed(
        operationID: String
    ) throws {
        let endpoint = try #require(Routes.all.first { $0.operationID == operationID })
        let parameters = try operation(endpoint)["parameters"]?.array ?? []
        #expect(parameters.compactMap { $0["name"]?.string } == endpoint.parameters.map(\.name))
        let inPath = endpoint.path.split(separator: "/").filter { $0.hasPrefix("{") }.map {
            String($0.dropFirst().dropLast())
        }
        #expect(
            parameters.filter { $0["in"]?.string == "path" }.compactMap { $0["name"]?.string }
                == inPath)
        for parameter in parameters {
            #expect(parameter["required"]?.boolean == (parameter["in"]?.string == "path"))
        }
    }

    @Test func documentHasOnlyTheRoutes() throws {
        let paths = try #require(try document()["paths"]?.object)
        #expect(paths.values.reduce(0) { $0 + ($1.object?.count ?? 0) } == Routes.all.count)
        #expect(Set(paths.keys) == Set(Routes.all.map(\.path)))
    }

    @Test func operationNamesAreUnique() {
        #expect(Set(Routes.all.map(\.operationID)).count == Routes.all.count)
    }

    @Test func everyReferenceResolves() throws {
        let document = try document()
        let schemas = try #require(document["components"]?["schemas"]?.object)
        let references = Set(references(in: document))
        #expect(references == Set(schemas.keys.map { "#/components/schemas/\($0)" }))
        #expect(references.count > 20)
    }

    @Test func schemasMatchTheirPayloads() throws {
        let schemas = try #require(try document()["components"]?["schemas"])
        let problem = try #require(schemas["Problem"])
        #expect(Set(problem["properties"]?.object?.keys ?? [:].keys) == Problem.schema.fieldNames)
        #expect(problem["required"]?.array?.contains(.string("field")) == false)
        #expect(problem["additionalProperties"]?.boolean == false)
        #expect(
            schemas["CheckInSettings"]?["properties"]?["intervalSeconds"]?["minimum"]?.number
                == 3600)
        #expect(
            schemas["StoredCheckInSettings"]?["properties"]?["intervalSeconds"]?["minimum"]?.number
                == 1)
    }

    /// With the same name, one payload's schema would overwrite the other's.
    @Test func schemaNamesAreUnique() {
        var shapes: [String: Schema] = [:]
        func visit(_ schema: Schema) {
            switch schema {
            case .object(let name, let fields, _):
                #expect(shapes[name] == nil || shapes[name] == schema, "\(name)")
                shapes[name] = schema
                for field in fields { visit(field.schema) }
            case .array(let element, _, _): visit(element)
            case .nullable(let inner): visit(inner)
            default: break
            }
        }
        for endpoint in Routes.all {
            for case .json(let schema) in [endpoint.input, endpoint.output] { visit(schema) }
        }
        #expect(shapes.count > 20)
    }

    private func references(in json: JSON) -> [String] {
        switch json {
        case .object(let fields):
            fields.flatMap { name, value in
                name == "$ref" ? [value.string ?? ""] : references(in: value)
            }
        case .array(let items): items.flatMap(references)
        default: []
        }
    }
}
