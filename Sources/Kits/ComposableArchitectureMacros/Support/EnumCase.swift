import SwiftSyntax

/// A case of an enum, with the parts that generated code needs.
struct EnumCase {
    let name: TokenSyntax
    /// The name's token in the source, for diagnostics.
    let place: TokenSyntax
    let parameters: [EnumCaseParameterSyntax]
    let attributes: AttributeListSyntax

    init(_ element: EnumCaseElementSyntax, of declaration: EnumCaseDeclSyntax) {
        name = element.name.trimmed
        place = element.name
        parameters = element.parameterClause.map { Array($0.parameters) } ?? []
        attributes = declaration.attributes
    }

    /// The labels of the associated values. `nil` for a value without a label.
    var labels: [String?] {
        parameters.map { parameter in
            guard let name = parameter.firstName, name.tokenKind != .wildcard else { return nil }
            return name.text
        }
    }

    var types: [String] { parameters.map { $0.type.trimmedDescription } }

    /// A name for each associated value: `v0`, `v1`, and so on.
    var bindings: [String] { parameters.indices.map { "v\($0)" } }

    /// Returns the expression that creates the case's value: `name(label: argument, argument)`.
    func applied(to arguments: [String]) -> String {
        guard !arguments.isEmpty else { return name.text }
        return "\(name.text)(\(list(arguments)))"
    }

    /// Returns the items with the labels of the associated values: `label: item, item`.
    func list(_ items: [String]) -> String {
        zip(labels, items).map { label, item in label.map { "\($0): \(item)" } ?? item }.joined(
            separator: ", ")
    }

    /// Returns a pattern that binds the associated values: `let .name(v0, v1)`. Without associated
    /// values, returns `.name`.
    func pattern(_ introducer: String = "let") -> String {
        parameters.isEmpty
            ? ".\(name.text)" : "\(introducer) .\(name.text)(\(bindings.joined(separator: ", ")))"
    }
}

enum EnumMember {
    case element(EnumCase)
    case conditional([Clause])

    struct Clause {
        /// The directive with its condition, such as `#if DEBUG` or `#else`.
        let head: String
        let members: [EnumMember]
    }

    /// Returns the cases in `items`. Omits an `#if` without cases.
    static func all(in items: MemberBlockItemListSyntax) -> [EnumMember] {
        items.flatMap { item -> [EnumMember] in
            if let declaration = item.decl.as(EnumCaseDeclSyntax.self) {
                return declaration.elements.map { .element(EnumCase($0, of: declaration)) }
            }
            guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return [] }
            let clauses = conditional.clauses.map { clause in
                let condition = clause.condition.map { " \($0.trimmedDescription)" } ?? ""
                guard case .decls(let members)? = clause.elements else {
                    return Clause(head: clause.poundKeyword.text + condition, members: [])
                }
                return Clause(head: clause.poundKeyword.text + condition, members: all(in: members))
            }
            return clauses.contains { !$0.members.isEmpty } ? [.conditional(clauses)] : []
        }
    }
}

extension [EnumMember] {
    /// Returns the source that `transform` returns for each case, with the `#if` directives around
    /// the case.
    func render(_ transform: (EnumCase) -> String?) -> String {
        lines(
            compactMap { member in
                switch member {
                case .element(let element): return transform(element)
                case .conditional(let clauses):
                    let bodies = clauses.map { $0.members.render(transform) }
                    guard bodies.contains(where: { !$0.isEmpty }) else { return nil }
                    return lines(zip(clauses, bodies).flatMap { [$0.head, $1] } + ["#endif"])
                }
            })
    }

    /// All cases in order, without `#if` directives.
    var elements: [EnumCase] {
        flatMap { member in
            switch member {
            case .element(let element): [element]
            case .conditional(let clauses): clauses.flatMap(\.members.elements)
            }
        }
    }

    /// Cases with the name of an earlier case. Cases in different branches of one `#if` may share a
    /// name.
    var duplicateNames: [EnumCase] {
        var seen: Set<String> = []
        return duplicates(seen: &seen)
    }

    private func duplicates(seen: inout Set<String>) -> [EnumCase] {
        var found: [EnumCase] = []
        for member in self {
            switch member {
            case .element(let element):
                if !seen.insert(element.name.plainText).inserted { found.append(element) }
            case .conditional(let clauses):
                var union = seen
                for clause in clauses {
                    var branch = seen
                    found += clause.members.duplicates(seen: &branch)
                    union.formUnion(branch)
                }
                seen = union
            }
        }
        return found
    }
}
