import SwiftSyntax

/// A property of a client that holds a closure.
struct Endpoint {
    let name: TokenSyntax
    let type: FunctionTypeSyntax
    /// The type as written, with attributes like `@Sendable`.
    let writtenType: TypeSyntax
    let initializer: ExprSyntax?

    /// Nil for a property that is computed, has observers, belongs to the type or has no function
    /// type written down.
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

    /// `throws` and `throws(any Error)`, which can throw an error of ours; `throws(Failure)`
    /// cannot.
    var throwsAnyError: Bool {
        guard let clause = type.effectSpecifiers?.throwsClause else { return false }
        guard let thrown = clause.type?.trimmedDescription else { return true }
        return ["any Error", "any Swift.Error", "Error", "Swift.Error"].contains(thrown)
    }

    var returnsVoid: Bool {
        ["Void", "()", "Swift.Void"].contains(type.returnClause.type.trimmedDescription)
    }

    /// A closure that neither throws nor returns nothing needs something to return in a test.
    var needsDefault: Bool { initializer == nil && !throwsAnyError && !returnsVoid }

    /// The attributes of the closure that a method in its place must have too: a global actor, say.
    var methodAttributes: [String] {
        writtenType.functionAttributes.filter {
            !["Sendable", "escaping", "convention"].contains($0.baseName)
        }.map(\.trimmedDescription)
    }
}

extension TypeSyntax {
    /// The function type under attributes and single parentheses.
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

    /// The attributes before the function type.
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
