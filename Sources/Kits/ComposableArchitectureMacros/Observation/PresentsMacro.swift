import SwiftSyntax
import SwiftSyntaxMacros

/// `@Presents`: makes a property an optional child state that can be presented. `$name` is its
/// presentation state.
public enum PresentsMacro {}

extension PresentsMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let presented = PresentedProperty(declaration) else { return [] }
        let registrar: TokenSyntax = .identifier(ObservableStateMacro.registrar)
        let (name, storage) = (presented.name, presented.name.storage)
        return [
            """
            @storageRestrictions(initializes: \(storage))
            init(initialValue) { \(storage) = \
            ComposableArchitecture.PresentationState(wrappedValue: initialValue) }
            """,
            """
            get { \(registrar).access(self, keyPath: \\.\(name)); return \(storage).wrappedValue }
            """,
            """
            set { \(registrar).mutate(self, keyPath: \\.\(name), &\(storage).wrappedValue, \
            newValue, _$isIdentityEqual) }
            """,
            presented.modify(yielding: "\(storage).wrappedValue"),
        ]
    }
}

extension PresentsMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let presented = PresentedProperty(declaration) else {
            context.error(
                "'@Presents' must be applied to a variable of optional type, written with its type",
                id: "Presents.optional", at: node)
            return []
        }
        let type: TypeSyntax = "ComposableArchitecture.PresentationState<\(presented.wrapped)>"
        let registrar: TokenSyntax = .identifier(ObservableStateMacro.registrar)
        let (name, storage) = (presented.name, presented.name.storage)
        // `name` and `$name` are observed as one property: a change through `$name` also notifies
        // the observers of `name`.
        return [
            """
            \(raw: presented.modifiers)var $\(raw: name.plainText): \(type) {
            get { \(registrar).access(self, keyPath: \\.\(name)); return \(storage).projectedValue }
            set {
            \(registrar).mutate(
            self, keyPath: \\.\(name), presentation: \\.$\(raw: name.plainText), &\(storage), \
            newValue, _$isIdentityEqual)
            }
            \(presented.modify(yielding: "\(storage)"))
            }
            """,
            """
            @ComposableArchitecture.ObservationStateIgnored private var \(storage) = \
            \(type)(wrappedValue: \(presented.initialValue))
            """,
        ]
    }
}

private struct PresentedProperty {
    let name: TokenSyntax
    let wrapped: TypeSyntax
    let initialValue: ExprSyntax
    /// The modifiers written before the property, ending in a space.
    let modifiers: String

    init?(_ declaration: some DeclSyntaxProtocol) {
        guard
            let property = declaration.as(VariableDeclSyntax.self), property.isStoredVariable,
            let name = property.propertyName?.trimmed, let binding = property.onlyBinding,
            let wrapped = binding.typeAnnotation?.type.wrappedType
        else { return nil }
        self.name = name
        self.wrapped = wrapped
        initialValue = binding.initializer?.value.trimmed ?? "nil"
        modifiers = property.modifiers.map { "\($0.trimmedDescription) " }.joined()
    }

    /// Returns an accessor that mutates `target` in place, and reports the mutation to the
    /// registrar.
    func modify(yielding target: ExprSyntax) -> AccessorDeclSyntax {
        let registrar: TokenSyntax = .identifier(ObservableStateMacro.registrar)
        return """
            _modify {
            let oldValue = \(registrar).willModify(self, keyPath: \\.\(name), \
            &\(name.storage).wrappedValue)
            defer { \(registrar).didModify(self, keyPath: \\.\(name), \
            &\(name.storage).wrappedValue, oldValue, _$isIdentityEqual) }
            yield &\(target)
            }
            """
    }
}

extension TypeSyntax {
    /// The wrapped type of `Wrapped?` or `Optional<Wrapped>`.
    fileprivate var wrappedType: TypeSyntax? {
        if let optional = self.as(OptionalTypeSyntax.self) { return optional.wrappedType.trimmed }
        guard baseName == "Optional", let wrapped = genericArgumentTypes.first,
            genericArgumentTypes.count == 1
        else { return nil }
        return "\(raw: wrapped)"
    }
}
