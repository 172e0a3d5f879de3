import SwiftSyntax

struct CasePathsSource {
    let root: String
    let members: [EnumMember]
    /// True if the enum is the state of several features. Each action then reads the current case
    /// and modifies the state in place.
    var holdsFeatures = false

    /// The names of the nested types that a sequence declares. The enum may use the same names for
    /// other types.
    private static let sequenceNames: Set<String> = ["Element", "Iterator"]

    /// The names in `sequenceNames` that occur in the types of associated values. Inside the
    /// structure, those types need another name.
    private var shadowedNames: [String] {
        let used = members.elements.flatMap(\.parameters).flatMap { parameter in
            parameter.type.tokens(viewMode: .sourceAccurate).map(\.text)
        }
        return Self.sequenceNames.intersection(used).sorted()
    }

    var declarations: [String] {
        shadowedNames.map { "public typealias _$\($0) = \($0)" } + [
            structure,
            "public static var allCasePaths: AllCasePaths { AllCasePaths() }",
        ]
    }

    private var structure: String {
        """
        public struct AllCasePaths: ComposableArchitecture.CasePathReflectable, Swift.Sendable, \
        Swift.Sequence {
        public subscript(root: \(root)) -> ComposableArchitecture.PartialCaseKeyPath<\(root)> {
        \(reflection)
        }
        \(lines([position, members.render(property)]))
        public func makeIterator() -> \
        Swift.IndexingIterator<[ComposableArchitecture.PartialCaseKeyPath<\(root)>]> {
        \(iteration)
        return allCasePaths.makeIterator()
        }
        }
        """
    }

    /// The source that finds the case of a value: a chain of `if` statements. A `switch` doesn't
    /// compile if the enum can't have values. A case with `@available` is tested under that
    /// condition.
    private var reflection: String {
        // An enum without cases can't have values, so there is nothing to return.
        guard !members.elements.isEmpty else { return "" }
        return lines([
            members.render { element in
                guard !element.isUnavailable else { return nil }
                let conditions =
                    element.platformConditions.map { "#available(\($0))" } + [
                        "case .\(element.name.text) = root"
                    ]
                return "if \(conditions.joined(separator: ", ")) { return \\.\(element.name.text) }"
            },
            "return \\.never",
        ])
    }

    /// The source of `_$position`. Empty if a case has `@available`, or if no case contains a
    /// feature.
    private var position: String {
        let elements = members.elements
        guard holdsFeatures, elements.allSatisfy(\.availability.isEmpty) else { return "" }
        var position = 0
        let cases = members.render { element in
            defer { position += 1 }
            return "case .\(element.name.text): return \(position)"
        }
        return lines([
            "public func _$position(of root: Swift.UnsafePointer<\(root)>) -> Swift.Int? {",
            "switch root.pointee {", cases, "}", "}",
        ])
    }

    /// Returns the source that modifies a case's value in place. The source moves the value out of
    /// the root, so that nothing is copied. A `default`, or a pattern that binds the root, would
    /// make the compiler copy (Swift 6.3.1).
    private func modification(_ element: EnumCase) -> String? {
        let elements = members.elements
        guard holdsFeatures, element.parameters.count == 1,
            elements.allSatisfy(\.availability.isEmpty)
        else { return nil }
        let cases = members.render { other in
            let isSame = other.name.text == element.name.text
            return lines([
                "case \(other.pattern(isSame ? "var" : "let")):",
                isSame ? "body(&v0)" : "",
                "root = \(root).\(other.applied(to: other.bindings))",
                "return \(isSame)",
            ])
        }
        return lines(["modify: { root, body in", "switch consume root {", cases, "}", "}"])
    }

    private var iteration: String {
        let paths = members.render { element in
            guard !element.isUnavailable else { return nil }
            let append = "allCasePaths.append(\\.\(element.name.text))"
            let conditions = element.platformConditions.map { "#available(\($0))" }
            return conditions.isEmpty
                ? append : "if \(conditions.joined(separator: ", ")) { \(append) }"
        }
        let introducer = paths.isEmpty ? "let" : "var"
        return lines([
            "\(introducer) allCasePaths: [ComposableArchitecture.PartialCaseKeyPath<\(root)>] = []",
            paths,
        ])
    }

    /// Returns the source of a case's property. Returns nil for an unavailable case, which code
    /// can't use.
    private func property(_ element: EnumCase) -> String? {
        guard !element.isUnavailable else { return nil }
        let types = element.parameters.map {
            NamesInside(root: root, shadowed: Self.sequenceNames).rewritten($0.type)
        }
        let name = element.name.text
        let value: String
        let embed: String
        let extract: String
        switch types.count {
        case 0:
            value = "Void"
            embed = "{ _ in \(root).\(name) }"
            extract = "{ guard case .\(name) = $0 else { return nil }; return () }"
        case 1:
            value = types[0]
            embed = "\(root).\(name)" + (element.labels[0].map { "(\($0):)" } ?? "")
            extract = "{ guard case let .\(name)(v0) = $0 else { return nil }; return v0 }"
        default:
            value = "(\(element.list(types)))"
            embed = "{ \(root).\(element.applied(to: types.indices.map { "$0.\($0)" })) }"
            extract =
                """
                { guard case \(element.pattern()) = $0 else { return nil }; return \
                (\(element.bindings.joined(separator: ", "))) }
                """
        }
        return lines(
            element.availability + [
                "public var \(name): ComposableArchitecture.AnyCasePath<\(root), \(value)> {",
                "ComposableArchitecture.AnyCasePath<\(root), \(value)>(",
                "embed: \(embed),",
                "extract: \(extract)" + (modification(element).map { ",\n\($0)" } ?? ""),
                ")",
                "}",
            ])
    }
}

/// Rewrites types for use inside the nested structure, where `Self` and some names have another
/// meaning.
private final class NamesInside: SyntaxRewriter {
    private let root: String
    private let shadowed: Set<String>

    init(root: String, shadowed: Set<String>) {
        self.root = root
        self.shadowed = shadowed
        super.init(viewMode: .sourceAccurate)
    }

    func rewritten(_ type: TypeSyntax) -> String { rewrite(type.trimmed).trimmedDescription }

    override func visit(_ node: IdentifierTypeSyntax) -> TypeSyntax {
        var node = node
        if node.name.tokenKind == .keyword(.Self) {
            node.name = node.name.with(\.tokenKind, .identifier(root))
        } else if shadowed.contains(node.name.text) {
            node.name = node.name.with(\.tokenKind, .identifier("_$\(node.name.text)"))
        }
        return super.visit(node)
    }
}
