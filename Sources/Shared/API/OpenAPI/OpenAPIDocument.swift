import Domain
import Foundation

/// The OpenAPI 3.1 document, generated from the routes that the server uses.
public enum OpenAPIDocument {
    /// - Parameter prefix: the path of the server, which the document's paths don't have.
    public static func json(below prefix: PathPrefix = .root) throws -> Data {
        try WireJSON.encoder().encode(document(below: prefix))
    }

    private static func document(below prefix: PathPrefix) -> JSONValue {
        var paths: [String: [String: JSONValue]] = [:]
        var schemas: [String: JSONValue] = [:]
        for endpoint in Routes.all {
            paths[endpoint.path, default: [:]][endpoint.method.rawValue.lowercased()] = operation(
                endpoint, &schemas)
        }
        return [
            "openapi": "3.1.0",
            "info": [
                "title": "LifeSignal", "version": "1", "description": "A personal safety network.",
            ],
            "servers": [["url": .string(prefix == .root ? "/" : prefix.text)]],
            "paths": .object(paths.mapValues { .object($0) }),
            "components": [
                "schemas": .object(schemas),
                "securitySchemes": ["session": ["type": "http", "scheme": "bearer"]],
            ],
        ]
    }

    private static func operation(_ endpoint: Endpoint, _ schemas: inout [String: JSONValue])
        -> JSONValue
    {
        var operation: [String: JSONValue] = [
            "operationId": .string(endpoint.operationID), "summary": .string(endpoint.summary),
            "responses": .object(responses(of: endpoint, &schemas)),
        ]
        if endpoint.access == .session { operation["security"] = [["session": []]] }
        if !endpoint.parameters.isEmpty {
            operation["parameters"] = .array(
                endpoint.parameters.map { parameter in
                    [
                        "name": .string(parameter.name), "in": .string(parameter.place.rawValue),
                        "required": .boolean(parameter.place == .path),
                        "description": .string(parameter.summary),
                        "schema": schema(parameter.schema, &schemas),
                    ]
                })
        }
        if let content = content(endpoint.input, &schemas) {
            operation["requestBody"] = [
                "required": .boolean(!endpoint.isInputOptional), "content": content,
            ]
        }
        return .object(operation)
    }

    private static func responses(of endpoint: Endpoint, _ schemas: inout [String: JSONValue])
        -> [String: JSONValue]
    {
        var success: [String: JSONValue] = ["description": .string(endpoint.summary)]
        if let content = content(endpoint.output, &schemas) { success["content"] = content }
        var responses = [String(endpoint.status): JSONValue.object(success)]
        let problem = schema(Problem.schema, &schemas)
        for code in endpoint.allErrors {
            var response: [String: JSONValue] = [
                "description": .string(code.title),
                "content": .object([Problem.contentType: ["schema": problem]]),
            ]
            if code == .rateLimited {
                response["headers"] = [
                    "Retry-After": [
                        "description": "Seconds to wait.",
                        "schema": ["type": "integer", "minimum": 1],
                    ]
                ]
            }
            responses[String(code.status)] = .object(response)
        }
        // If the server isn't ready, this endpoint answers with its report. All others send a
        // problem document.
        if endpoint.operationID == Routes.ready.endpoint.operationID {
            responses["503"] = .object(success)
        }
        return responses
    }

    private static func content(_ content: Endpoint.Content, _ schemas: inout [String: JSONValue])
        -> JSONValue?
    {
        switch content {
        case .none: nil
        case .json(let type): ["application/json": ["schema": schema(type, &schemas)]]
        case .bytes(let mediaTypes, _):
            .object(
                Dictionary(
                    uniqueKeysWithValues: mediaTypes.map {
                        ($0, ["schema": ["type": "string", "format": "binary"]])
                    }))
        case .text(let mediaType):
            .object([
                mediaType: mediaType == "application/json"
                    ? ["schema": ["type": "object"]] : ["schema": ["type": "string"]]
            ])
        }
    }

    private static func schema(_ schema: Schema, _ schemas: inout [String: JSONValue]) -> JSONValue
    {
        switch schema {
        case .string(let length, let pattern, let format):
            var value: [String: JSONValue] = ["type": "string"]
            if let length {
                value["minLength"] = .integer(length.lowerBound)
                value["maxLength"] = .integer(length.upperBound)
            }
            if let pattern { value["pattern"] = .string(pattern) }
            if let format { value["format"] = .string(format) }
            return .object(value)
        case .enumeration(let values):
            return ["type": "string", "enum": .array(values.map { .string($0) })]
        case .integer(let range):
            return [
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": .integer(range.upperBound),
            ]
        case .number: return ["type": "number"]
        case .boolean: return ["type": "boolean"]
        case .array(let element, let limit, let isUnique):
            var value: [String: JSONValue] = [
                "type": "array", "items": self.schema(element, &schemas),
            ]
            if let limit { value["maxItems"] = .integer(limit) }
            if isUnique { value["uniqueItems"] = true }
            return .object(value)
        case .nullable(let inner):
            return ["anyOf": [self.schema(inner, &schemas), ["type": "null"]]]
        case .object(let name, let fields, let anyTrue):
            if schemas[name] == nil {
                var properties: [String: JSONValue] = [:]
                for field in fields { properties[field.name] = self.schema(field.schema, &schemas) }
                var value: [String: JSONValue] = [
                    "type": "object", "properties": .object(properties),
                    "additionalProperties": false,
                    "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
                ]
                if !anyTrue.isEmpty {
                    value["anyOf"] = .array(
                        anyTrue.map { ["properties": .object([$0: ["const": true]])] })
                }
                schemas[name] = .object(value)
            }
            return ["$ref": .string("#/components/schemas/\(name)")]
        case .none: return [:]
        }
    }
}
