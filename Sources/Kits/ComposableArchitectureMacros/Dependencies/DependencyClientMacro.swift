import SwiftSyntax
import SwiftSyntaxMacros

/// `@DependencyClient`: turns each closure of a struct into an endpoint. Adds two initialisers:
/// with all endpoints, and with none.
public enum DependencyClientMacro {}

extension DependencyClientMacro: MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard
            declaration.is(StructDeclSyntax.self),
            let property = member.as(VariableDeclSyntax.self), Endpoint(property) != nil,
            !property.attributes.has("DependencyEndpoint", "DependencyEndpointIgnored")
        else { return [] }
        return ["@ComposableArchitecture.DependencyEndpoint"]
    }
}

extension DependencyClientMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let declaration = declaration.as(StructDeclSyntax.self) else {
            context.errorWrongKind("DependencyClient", of: declaration, at: node)
            return []
        }
        let variables = declaration.memberBlock.members.compactMap {
            $0.decl.as(VariableDeclSyntax.self)
        }
        for binding in variables.flatMap(\.bindingsWithoutType) {
            context.error(
                """
                '@DependencyClient' needs the type of '\(binding.pattern.trimmedDescription)' to \
                be written, to make an initialiser with it
                """,
                id: "DependencyClient.type", at: binding.pattern)
        }
        let properties = variables.flatMap(ClientProperty.all)
        var initializers = [ClientInitializer(properties, of: declaration)]
        // The initialiser without endpoints compiles only if each endpoint has a default.
        // `@DependencyEndpoint` reports a missing default.
        if !properties.contains(where: \.lacksDefault) {
            initializers.append(
                ClientInitializer(
                    properties.filter { !$0.isEndpoint && $0.defaultValue == nil }, of: declaration)
            )
        }
        var labels = declaration.initializerLabels
        return initializers.compactMap { labels.insert($0.labels).inserted ? $0.declaration : nil }
    }
}

private struct ClientProperty {
    let name: TokenSyntax
    let type: TypeSyntax
    let defaultValue: ExprSyntax?
    let access: Keyword
    let isEndpoint: Bool
    let lacksDefault: Bool

    static func all(_ declaration: VariableDeclSyntax) -> [ClientProperty] {
        guard declaration.isInstance, !declaration.isComputed,
            !declaration.modifiers.contains(.lazy)
        else { return [] }
        let access = declaration.modifiers.accessLevel ?? .internal
        if let endpoint = Endpoint(declaration),
            !declaration.attributes.has("DependencyEndpointIgnored")
        {
            return [
                ClientProperty(
                    name: endpoint.name, type: endpoint.writtenType, defaultValue: nil,
                    access: access, isEndpoint: true,
                    lacksDefault: endpoint.needsDefault)
            ]
        }
        // In `var a, b: Int`, the type applies to both variables.
        var type: TypeSyntax?
        return declaration.bindings.reversed().compactMap { binding -> ClientProperty? in
            type = binding.typeAnnotation?.type.trimmed ?? (binding.initializer == nil ? type : nil)
            guard
                let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.trimmed,
                !(declaration.isLet && binding.initializer != nil),
                let known = type ?? binding.initializer?.value.literalType
            else { return nil }
            let isOptionalVariable = !declaration.isLet && known.is(OptionalTypeSyntax.self)
            return ClientProperty(
                name: name, type: known,
                defaultValue: binding.initializer?.value.trimmed
                    ?? (isOptionalVariable ? "nil" : nil),
                access: access, isEndpoint: false, lacksDefault: false)
        }.reversed()
    }

    var parameter: String {
        let escaping = type.functionType == nil ? "" : "@escaping "
        return "\(name.text): \(escaping)\(type.trimmedDescription)"
            + (defaultValue.map { " = \($0)" } ?? "")
    }
}

private struct ClientInitializer {
    let properties: [ClientProperty]
    let access: Keyword

    init(_ properties: [ClientProperty], of declaration: StructDeclSyntax) {
        self.properties = properties
        let written = declaration.modifiers.accessLevel ?? .internal
        // In a private type, a member without an access level is visible wherever the type is.
        let own = written == .private || written == .fileprivate ? .internal : written
        access = properties.map(\.access).reduce(own, AccessLevel.narrower)
    }

    var labels: [String] { properties.map(\.name.plainText) }

    var declaration: DeclSyntax {
        let isExplicit =
            access == .public || access == .package
            || properties.contains { $0.access == access && access != .internal }
        let parameters = properties.map(\.parameter).joined(separator: ",\n")
        // Sets the endpoints last: their setters need all other properties to be set.
        let assigned = properties.filter { !$0.isEndpoint } + properties.filter(\.isEndpoint)
        let modifier = isExplicit ? "\(access.text) " : ""
        let list = parameters.isEmpty ? "" : "\n\(parameters)\n"
        return """
            \(raw: modifier)init(\(raw: list)) {
            \(raw: lines(assigned.map { "self.\($0.name.text) = \($0.name.text)" }))
            }
            """
    }
}

extension VariableDeclSyntax {
    /// Variables whose type is neither written nor clear from a literal.
    fileprivate var bindingsWithoutType: [PatternBindingSyntax] {
        guard isInstance, !isComputed, !isLet, !modifiers.contains(.lazy),
            !attributes.has("DependencyEndpointIgnored")
        else { return [] }
        return bindings.filter {
            $0.typeAnnotation == nil && $0.initializer.map { $0.value.literalType == nil } ?? false
        }
    }
}

extension StructDeclSyntax {
    fileprivate var initializerLabels: Set<[String]> {
        Set(
            memberBlock.members.compactMap { item in
                item.decl.as(InitializerDeclSyntax.self)?.signature.parameterClause.parameters.map(
                    \.firstName.plainText)
            })
    }
}

extension ExprSyntax {
    fileprivate var literalType: TypeSyntax? {
        switch kind {
        case .booleanLiteralExpr: "Swift.Bool"
        case .integerLiteralExpr: "Swift.Int"
        case .floatLiteralExpr: "Swift.Double"
        case .stringLiteralExpr: "Swift.String"
        default: nil
        }
    }
}
