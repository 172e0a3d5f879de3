import API
import Foundation

extension Schema {
    /// Returns a description of each place where `json` violates this schema.
    public func violations(in json: JSON, at path: String = "$") -> [String] {
        switch (self, json) {
        case (.none, _): ["\(path): there should be nothing"]
        case (.nullable, .null): []
        case (.nullable(let inner), _): inner.violations(in: json, at: path)
        case (.boolean, .boolean), (.number, .number): []
        case (.string(let length, let pattern, let format), .string(let text)):
            Self.violations(in: text, length, pattern, format).map { "\(path): \($0)" }
        case (.enumeration(let values), .string(let text)):
            values.contains(text) ? [] : ["\(path): \(text) is none of \(values)"]
        case (.integer(let range), .number(let value)):
            Int(exactly: value).map(range.contains) == true
                ? [] : ["\(path): \(value) is no integer of \(range)"]
        case (.array(let element, let limit, let isUnique), .array(let items)):
            Self.violations(in: items, limit, isUnique).map { "\(path): \($0)" }
                + items.enumerated().flatMap { element.violations(in: $1, at: "\(path)[\($0)]") }
        case (.object(_, let fields, _), .object(let values)):
            fields.flatMap { field in
                values[field.name].map {
                    field.schema.violations(in: $0, at: "\(path).\(field.name)")
                }
                    ?? (field.isRequired ? ["\(path).\(field.name): is missing"] : [])
            }
                + values.keys.filter { !fieldNames.contains($0) }.map {
                    "\(path).\($0): is not in the schema"
                }
        default: ["\(path): \(json) has the wrong type"]
        }
    }

    private static func violations(
        in text: String, _ length: ClosedRange<Int>?, _ pattern: String?, _ format: String?
    ) -> [String] {
        var found: [String] = []
        if let length, !length.contains(text.unicodeScalars.count) {
            found.append("the length is outside \(length)")
        }
        if let pattern, !matches(text, pattern) {
            found.append("\(text) does not match \(pattern)")
        }
        if let format, !has(text, format) { found.append("\(text) is no \(format)") }
        return found
    }

    private static func violations(in items: [JSON], _ limit: Int?, _ isUnique: Bool) -> [String] {
        var found: [String] = []
        if let limit, items.count > limit {
            found.append("\(items.count) items are more than \(limit)")
        }
        if isUnique, items.indices.contains(where: { items[..<$0].contains(items[$0]) }) {
            found.append("an item is there twice")
        }
        return found
    }

    private static func matches(_ text: String, _ pattern: String) -> Bool {
        guard let expression = try? NSRegularExpression(pattern: pattern) else { return false }
        return expression.firstMatch(in: text, range: NSRange(text.startIndex..., in: text)) != nil
    }

    private static func has(_ text: String, _ format: String) -> Bool {
        switch format {
        case "email": text.wholeMatch(of: /[^@\s]+@[^@\s]+\.[^@\s]+/) != nil
        case "uuid": matches(text, "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        case "date-time": matches(text, #"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"#)
        case "uri": URL(string: text)?.scheme != nil
        case "byte": Data(base64Encoded: text) != nil
        default: false
        }
    }
}
