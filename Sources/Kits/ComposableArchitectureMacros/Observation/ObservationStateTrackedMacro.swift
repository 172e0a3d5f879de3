import SwiftSyntax
import SwiftSyntaxMacros

/// `@ObservationStateTracked`: reports each read and each change of a property to the registrar.
/// Stores the value in the property `_name`.
public enum ObservationStateTrackedMacro {}

extension ObservationStateTrackedMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self), property.isTrackable,
            let name = property.propertyName?.trimmed
        else {
            return []
        }
        let registrar: TokenSyntax = .identifier(ObservableStateMacro.registrar)
        let storage = name.storage
        let initializer: AccessorDeclSyntax =
            """
            @storageRestrictions(initializes: \(storage))\ninit(initialValue) { \(storage) = \
            initialValue }
            """
        let getter: AccessorDeclSyntax =
            "get { \(registrar).access(self, keyPath: \\.\(name)); return \(storage) }"
        if property.onlyBinding?.accessorBlock != nil {
            // `willSet` and `didSet` may use the whole state. They must not run while the registrar
            // is in use.
            return [
                initializer, getter,
                """
                set {
                var value = \(storage)
                \(registrar).mutate(self, keyPath: \\.\(name), &value, newValue, _$isIdentityEqual)
                \(storage) = value
                }
                """,
            ]
        }
        return [
            initializer, getter,
            """
            set { \(registrar).mutate(self, keyPath: \\.\(name), &\(storage), newValue, \
            _$isIdentityEqual) }
            """,
            """
            _modify {
            let oldValue = \(registrar).willModify(self, keyPath: \\.\(name), &\(storage))
            defer { \(registrar).didModify(self, keyPath: \\.\(name), &\(storage), oldValue, \
            _$isIdentityEqual) }
            yield &\(storage)
            }
            """,
        ]
    }
}

extension ObservationStateTrackedMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard
            let property = declaration.as(VariableDeclSyntax.self), property.isTrackable,
            let name = property.propertyName?.trimmed, var binding = property.onlyBinding
        else { return [] }
        // The type, the initial value and the observers move to the storage.
        binding.pattern = PatternSyntax(IdentifierPatternSyntax(identifier: name.storage))
        return ["private var \(binding.trimmed)"]
    }
}

/// `@ObservationStateIgnored`: excludes a property from observation.
public enum ObservationStateIgnoredMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] { [] }
}

extension VariableDeclSyntax {
    fileprivate var isTrackable: Bool {
        isStoredVariable && !isGenerated && !attributes.has("ObservationStateIgnored")
    }
}

extension TokenSyntax {
    var storage: TokenSyntax { .identifier("_\(plainText)") }
}
