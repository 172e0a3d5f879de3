import SwiftSyntax

extension Endpoint {
    /// Returns a method that calls the endpoint with labelled arguments. Returns nil if no name is
    /// given, or if an argument is variadic.
    func method(named methodName: String?, modifiers: DeclModifierListSyntax) -> DeclSyntax? {
        let parameters = Array(type.parameters)
        let hasNames = parameters.contains { $0.secondName != nil }
        guard hasNames || methodName != nil, !parameters.contains(where: { $0.ellipsis != nil })
        else { return nil }
        let declared = parameters.enumerated().map { index, parameter in
            "\(parameter.label) p\(index): \(parameter.type.trimmedDescription)"
        }
        let passed = parameters.enumerated().map { index, parameter in
            parameter.isInout ? "&p\(index)" : "p\(index)"
        }
        let effects = type.effectSpecifiers.map { " \($0.trimmedDescription)" } ?? ""
        let result = returnsVoid ? "" : " \(type.returnClause.trimmedDescription)"
        let access = modifiers.accessLevel.map { "\($0.text) " } ?? ""
        let markers = "\(isThrowing ? "try " : "")\(isAsync ? "await " : "")"
        return """
            \(raw: (methodAttributes + [""]).joined(separator: "\n"))\(raw: access)func \
            \(raw: methodName ?? name.text)\
            (\(raw: declared.joined(separator: ", ")))\(raw: effects)\(raw: result) {
            \(raw: markers)self.\(name)(\(raw: passed.joined(separator: ", ")))
            }
            """
    }
}

extension Keyword {
    var text: String { TokenSyntax.keyword(self).text }
}

extension TupleTypeElementSyntax {
    /// The argument's label in the method: its name in the closure's type.
    fileprivate var label: String { secondName?.text ?? "_" }

    fileprivate var isInout: Bool {
        guard let attributed = type.as(AttributedTypeSyntax.self) else { return false }
        return attributed.specifiers.contains { specifier in
            guard case .simpleTypeSpecifier(let simple) = specifier else { return false }
            return simple.specifier.tokenKind == .keyword(.inout)
        }
    }
}
