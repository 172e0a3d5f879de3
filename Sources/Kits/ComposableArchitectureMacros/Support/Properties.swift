import SwiftSyntax

extension VariableDeclSyntax {
    /// The binding, if there is exactly one.
    var onlyBinding: PatternBindingSyntax? { bindings.count == 1 ? bindings.first : nil }

    /// The name, if the declaration has exactly one binding and it is a plain name.
    var propertyName: TokenSyntax? {
        onlyBinding?.pattern.as(IdentifierPatternSyntax.self)?.identifier
    }

    var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    /// True if the property is neither `static` nor `class`.
    var isInstance: Bool { !modifiers.contains(.static) && !modifiers.contains(.class) }

    /// True for a property with a getter: it stores nothing. Observers (`willSet`, `didSet`) don't
    /// count as getters.
    var isComputed: Bool { bindings.contains { $0.accessorBlock?.hasGetter ?? false } }
}

extension AccessorBlockSyntax {
    var hasGetter: Bool {
        guard case .accessors(let list) = accessors else { return true }
        return list.contains { accessor in
            switch accessor.accessorSpecifier.tokenKind {
            case .keyword(.willSet), .keyword(.didSet), .keyword(.`init`): false
            default: true
            }
        }
    }
}

extension TokenSyntax {
    /// The name without the backticks around a keyword.
    var plainText: String { text.plainName }
}

extension String {
    /// The name without the backticks around a keyword.
    var plainName: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
