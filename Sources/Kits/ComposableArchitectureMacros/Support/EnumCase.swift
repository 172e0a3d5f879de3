import SwiftSyntax

/// A case of an enumeration, with everything that generated code needs.
struct EnumCase {
    let name: TokenSyntax
    /// The token of the name in the source, where diagnostics are reported.
    let place: TokenSyntax
    let parameters: [EnumCaseParameterSyntax]
    let attributes: AttributeListSyntax

    init(_ element: EnumCaseElementSyntax, of declaration: EnumCaseDeclSyntax) {
        name = element.name.trimmed
        place = element.name
        parameters = element.parameterClause.map { Array($0.parameters) } ?? []
        attributes = declaration.attributes
    }

    /// The labels of the associated values; nil for a value without a label.
    var labels: [String?] {
        parameters.map { parameter in
            guard let name = parameter.firstName, name.tokenKind != .wildcard else { return nil }
            return name.text
        }
    }

    /// The types of the associated values as written.
    var types: [String] { parameters.map { $0.type.trimmedDescription } }

    /// `v0`, `v1`…: a name for each associated value.
    var bindings: [String] { parameters.indices.map { "v\($0)" } }

    /// Returns the expression that creates the value: `name(label: argument, argument)`.
    func applied(to arguments: [String]) -> String {
        guard !arguments.isEmpty else { return name.text }
        return "\(name.text)(\(list(arguments)))"
    }

    /// `label: item, item`, as in an argument list or a tuple.
    func list(_ items: [String]) -> String {
        zip(labels, items).map { label, item in label.map { "\($0): \(item)" } ?? item }.joined(
            separator: ", ")
    }

    /// Returns the pattern that binds each associated value: `let .name(v0, v1)`, or `.name` if
    /// there is none.
    func pattern(_ introducer: String = "let") -> String {
        parameters.isEmpty
            ? ".\(name.text)" : "\(introducer) .\(name.text)(\(bindings.joined(separator: ", ")))"
    }
}

/// The cases of an enumeration in order, with conditional compilation as it was written.
enum EnumMember {
    case element(EnumCase)
    case conditional([Clause])

    /// A branch of an `#if`.
    struct Clause {
        /// `#if DEBUG`, `#elseif os(Linux)`, `#else`.
        let head: String
        let members: [EnumMember]
    }

    /// Returns the cases among `items`. Omits an `#if` without a case in any branch.
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
    /// Returns the source that `transform` returns for each case, under the same `#if` conditions
    /// as the case.
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

    /// All cases in order, regardless of their `#if` conditions.
    var elements: [EnumCase] {
        flatMap { member in
            switch member {
            case .element(let element): [element]
            case .conditional(let clauses): clauses.flatMap(\.members.elements)
            }
        }
    }

    /// The cases whose name is already used by an earlier case. Cases in different branches of one
    /// `#if` don't clash.
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
