import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@DependencyEndpoint`: turns a closure of a client into an endpoint that is unimplemented until
/// it is set. Adds a method if the closure's arguments have names.
public enum DependencyEndpointMacro {}

extension DependencyEndpointMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] {
        guard let endpoint = Endpoint(declaration) else { return [] }
        let storage = endpoint.name.storage
        let accessors: [AccessorDeclSyntax] = [
            "get { \(storage) }", "set { \(storage) = newValue }",
        ]
        // Omits the `init` accessor for a property with an initial value. The accessor would
        // replace the reporting closure by that value.
        guard endpoint.initializer == nil else { return accessors }
        return [
            """
            @storageRestrictions(initializes: \(storage))\ninit(initialValue) { \(storage) = \
            initialValue }
            """
        ] + accessors
    }
}

extension DependencyEndpointMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let property = declaration.as(VariableDeclSyntax.self),
            let endpoint = Endpoint(property)
        else {
            context.error(
                """
                '@DependencyEndpoint' must be attached to a variable of function type, written \
                with its type
                """,
                id: "DependencyEndpoint.closure", at: node)
            return []
        }
        var peers: [DeclSyntax] = []
        if let method = endpoint.method(named: node.methodName, modifiers: property.modifiers) {
            peers.append(method)
        }
        let storage: DeclSyntax = "private var \(endpoint.name.storage): \(endpoint.writtenType)"
        if endpoint.needsDefault {
            diagnoseMissingDefault(of: property, endpoint, in: context)
            return peers + [storage]
        }
        warnOfCrash(in: endpoint, context: context)
        let client = context.lexicalContext.first?.asProtocol((any DeclGroupSyntax).self)?.typeName
        let closure = UnimplementedClosure(
            endpoint: endpoint,
            path: [client, endpoint.name.plainText].compactMap(\.self).joined(separator: "."),
            location: SourcePlace(of: property, in: context))
        return peers + ["\(storage) = \(raw: closure.source)"]
    }

    private static func diagnoseMissingDefault(
        of property: VariableDeclSyntax, _ endpoint: Endpoint,
        in context: some MacroExpansionContext
    ) {
        guard let binding = property.onlyBinding else { return }
        let count = endpoint.type.parameters.count
        let signature =
            count == 0 ? "" : Array(repeating: "_", count: count).joined(separator: ", ") + " in "
        let type = endpoint.type.returnClause.type.trimmedDescription
        let closure: ExprSyntax = "{ \(raw: signature)<#\(raw: type)#> }"
        let value = InitializerClauseSyntax(
            equal: .equalToken(leadingTrivia: .space, trailingTrivia: .space), value: closure)
        let changed = binding.with(\.typeAnnotation, binding.typeAnnotation?.trimmed).with(
            \.initializer, value)
        context.error(
            """
            '\(endpoint.name.plainText)' needs a default, because it cannot throw

            It is what the closure returns, after it has reported that it is unimplemented, until \
            a test or an app gives one of its own. \
            Any value will do: 'false', '[]', '0'.
            """,
            id: "DependencyEndpoint.default", at: binding,
            fixIts: [
                .replacing(
                    binding, with: changed, "Insert '= \(closure)'",
                    id: "DependencyEndpoint.default")
            ])
    }

    private static func warnOfCrash(in endpoint: Endpoint, context: some MacroExpansionContext) {
        guard let statement = endpoint.initializer?.as(ClosureExprSyntax.self)?.statements.first,
            statement.item.isFatalError
        else { return }
        context.warn(
            """
            This default ends the program; return a value, so that tests and previews go on after \
            the report
            """,
            id: "DependencyEndpoint.fatalError", at: statement)
    }
}

/// `@DependencyEndpointIgnored`: marks a closure of a client that isn't an endpoint.
public enum DependencyEndpointIgnoredMacro: AccessorMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingAccessorsOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AccessorDeclSyntax] { [] }
}

extension AttributeSyntax {
    /// The argument `method`, such as `save` in `@DependencyEndpoint(method: "save")`.
    fileprivate var methodName: String? {
        guard
            case .argumentList(let list)? = arguments,
            let literal = list.first(where: { $0.label?.text == "method" })?.expression.as(
                StringLiteralExprSyntax.self),
            let name = literal.representedLiteralValue, !name.isEmpty
        else { return nil }
        return name
    }
}
