import SwiftSyntax

struct Endpoint {
    let name: TokenSyntax
    let type: FunctionTypeSyntax
    /// The type as written, with attributes such as `@Sendable`.
    let writtenType: TypeSyntax
    let initializer: ExprSyntax?

    /// Returns nil unless the property is a stored `var` of an instance, with a written function
    /// type and without observers.
    init?(_ declaration: some DeclSyntaxProtocol) {
        guard
            let property = declaration.as(VariableDeclSyntax.self), property.isInstance,
            !property.isLet,
            let binding = property.onlyBinding, binding.accessorBlock == nil,
            let name = property.propertyName?.trimmed,
            let writtenType = binding.typeAnnotation?.type.trimmed,
            let type = writtenType.functionType
        else { return nil }
        self.name = name
        self.type = type
        self.writtenType = writtenType
        initializer = binding.initializer?.value
    }

    var isAsync: Bool { type.effectSpecifiers?.asyncSpecifier != nil }
    var isThrowing: Bool { type.effectSpecifiers?.throwsClause != nil }

    /// True for `throws` and `throws(any Error)`. Only these can throw `_UnimplementedEndpoint`.
    var throwsAnyError: Bool {
        guard let clause = type.effectSpecifiers?.throwsClause else { return false }
        guard let thrown = clause.type?.trimmedDescription else { return true }
        return ["any Error", "any Swift.Error", "Error", "Swift.Error"].contains(thrown)
    }

    var returnsVoid: Bool {
        ["Void", "()", "Swift.Void"].contains(type.returnClause.type.trimmedDescription)
    }

    /// True if an unimplemented endpoint needs a default to return: it must return a value and
    /// can't throw `_UnimplementedEndpoint`.
    var needsDefault: Bool { initializer == nil && !throwsAnyError && !returnsVoid }

    /// The attributes that the closure's method also needs, such as a global actor.
    var methodAttributes: [String] {
        writtenType.functionAttributes.filter {
            !["Sendable", "escaping", "convention"].contains($0.baseName)
        }.map(\.trimmedDescription)
    }
}

extension TypeSyntax {
    /// The function type without surrounding attributes and parentheses.
    var functionType: FunctionTypeSyntax? {
        if let function = self.as(FunctionTypeSyntax.self) { return function }
        if let attributed = self.as(AttributedTypeSyntax.self) {
            return attributed.baseType.functionType
        }
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first?.type.functionType
        }
        return nil
    }

    var functionAttributes: [AttributeSyntax] {
        if let tuple = self.as(TupleTypeSyntax.self), tuple.elements.count == 1 {
            return tuple.elements.first?.type.functionAttributes ?? []
        }
        guard let attributed = self.as(AttributedTypeSyntax.self) else { return [] }
        let own = attributed.attributes.compactMap { element -> AttributeSyntax? in
            guard case .attribute(let attribute) = element else { return nil }
            return attribute
        }
        return own + attributed.baseType.functionAttributes
    }
}
