import SwiftSyntax

extension VariableDeclSyntax {
    /// The one binding, where there is just one.
    var onlyBinding: PatternBindingSyntax? { bindings.count == 1 ? bindings.first : nil }

    /// The name, where the declaration has one binding with a plain name.
    var propertyName: TokenSyntax? {
        onlyBinding?.pattern.as(IdentifierPatternSyntax.self)?.identifier
    }

    var isLet: Bool { bindingSpecifier.tokenKind == .keyword(.let) }

    /// Neither `static` nor `class`.
    var isInstance: Bool { !modifiers.contains(.static) && !modifiers.contains(.class) }

    /// A property with a getter of its own, which therefore stores nothing. Observers (`willSet`,
    /// `didSet`) do not count.
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
