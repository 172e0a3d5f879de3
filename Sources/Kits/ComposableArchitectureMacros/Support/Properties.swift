import SwiftSyntax

extension VariableDeclSyntax {
    var onlyBinding: PatternBindingSyntax? { bindings.count == 1 ? bindings.first : nil }

    /// The property's name, if the declaration contains only one property.
    var propertyName: TokenSyntax? {
        onlyBinding?.pattern.as(IdentifierPatternSyntax.self)?.identifier
    }

    var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    var isInstance: Bool { !modifiers.contains(.static) && !modifiers.contains(.class) }

    /// True if the property has a getter. Observers (`willSet`, `didSet`) aren't getters.
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
    var plainName: String {
        count > 2 && hasPrefix("`") && hasSuffix("`") ? String(dropFirst().dropLast()) : self
    }
}
