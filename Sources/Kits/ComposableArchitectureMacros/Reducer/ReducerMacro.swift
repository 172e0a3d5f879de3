import SwiftSyntax
import SwiftSyntaxMacros

/// `@Reducer`: turns a struct into a reducer, and an enum of features into a combined reducer.
public enum ReducerMacro {}

extension ReducerMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        let isEnum = declaration.is(EnumDeclSyntax.self)
        guard isEnum || declaration.is(StructDeclSyntax.self), !protocols.isEmpty else { return [] }
        // `CaseReducer` comes first: the compiler uses it to find the type of `body`.
        let conformances = protocols.map(\.baseName).sorted()
            .filter { isEnum || $0 != "CaseReducer" }
            .map { "ComposableArchitecture.\($0)" }
        guard !conformances.isEmpty else { return [] }
        return [
            try ExtensionDeclSyntax(
                """
                \(declaration.availability)extension \(type.trimmed): \
                \(raw: conformances.joined(separator: ", ")) {}
                """
            )
        ]
    }
}

extension ReducerMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if let declaration = declaration.as(EnumDeclSyntax.self) {
            return ReducerEnum(declaration, arguments: node.arguments).members
        }
        guard let declaration = declaration.as(StructDeclSyntax.self) else {
            context.errorWrongKind("Reducer", of: declaration, at: node)
            return []
        }
        warnOfUnusedBody(of: declaration, in: context)
        return missingMembers(of: declaration)
    }

    /// Returns defaults for missing members: an empty state, an action without cases, a body that
    /// does nothing.
    private static func missingMembers(of declaration: StructDeclSyntax) -> [DeclSyntax] {
        let access = declaration.accessPrefix
        var members: [DeclSyntax] = []
        // The added members contain expansions of macros, not attributes. `GeneratedEnum` explains
        // why.
        let domain = declaration.bodyDomain
        if !declaration.declares("State"), let state = domain?.state,
            state.isDeclaredElsewhere("State")
        {
            members.append("\(raw: access)typealias State = \(raw: state)")
        } else if !declaration.declares("State") {
            let conformances = "Codable, Equatable, Hashable, Sendable, \(GeneratedEnum.observable)"
            members.append(
                """
                \(raw: access)struct State: \(raw: conformances) {
                \(raw: access)init() {}
                \(raw: lines(ObservableStateSource.ofStruct))
                }
                """)
        }
        if !declaration.declares("Action"), let action = domain?.action,
            action.isDeclaredElsewhere("Action")
        {
            members.append("\(raw: access)typealias Action = \(raw: action)")
        } else if !declaration.declares("Action") {
            let action = GeneratedEnum(
                name: "Action", access: access, conformances: ["Equatable", "Hashable", "Sendable"])
            members.append("\(raw: action.source)")
        }
        if !declaration.declares("body"), !declaration.declares("reduce") {
            members.append(
                """
                \(raw: access)var body: ComposableArchitecture.EmptyReducer<Self.State, \
                Self.Action> {
                ComposableArchitecture.EmptyReducer()
                }
                """)
        }
        return members
    }

    private static func warnOfUnusedBody(
        of declaration: StructDeclSyntax, in context: some MacroExpansionContext
    ) {
        guard declaration.declares("body") else { return }
        for item in declaration.memberBlock.members {
            guard let function = item.decl.as(FunctionDeclSyntax.self), function.isReduce else {
                continue
            }
            context.warn(
                """
                'body' is never run where there is a 'reduce', which takes its place: keep one of \
                them
                """,
                id: "Reducer.reduceAndBody", at: function.name)
        }
    }
}

extension ReducerMacro: MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        if let member = member.as(EnumDeclSyntax.self) { return attributes(of: member) }
        guard let property = member.as(VariableDeclSyntax.self),
            declaration.is(StructDeclSyntax.self)
        else { return [] }
        return property.builderArguments.map {
            ["@ComposableArchitecture.ReducerBuilder<\(raw: $0)>"]
        } ?? []
    }

    /// Returns the attributes to add to a nested enum. An action gets case paths. A state gets case
    /// paths and properties for its cases.
    private static func attributes(of member: EnumDeclSyntax) -> [AttributeSyntax] {
        guard !member.declares("AllCasePaths") else { return [] }
        var attributes: [AttributeSyntax] = []
        let name = member.name.text
        if name == "Action" || name == "State", !member.attributes.has("CasePathable") {
            attributes.append("@ComposableArchitecture.CasePathable")
        }
        if name == "State", !member.attributes.has("dynamicMemberLookup") {
            attributes.append("@dynamicMemberLookup")
        }
        return attributes
    }
}

extension FunctionDeclSyntax {
    fileprivate var isReduce: Bool {
        name.text == "reduce" && !modifiers.contains(.static)
            && signature.parameterClause.parameters.map(\.firstName.text) == ["into", "action"]
    }
}

extension StructDeclSyntax {
    fileprivate var bodyDomain: (state: String, action: String)? {
        memberBlock.members.lazy.compactMap { $0.decl.as(VariableDeclSyntax.self)?.bodyDomain }
            .first
    }
}

extension String {
    /// Returns false for the reducer's own `State` or `Action`.
    fileprivate func isDeclaredElsewhere(_ name: String) -> Bool {
        self != name && self != "Self.\(name)"
    }
}

extension VariableDeclSyntax {
    /// The generic arguments of the result builder that `body` needs, if its type is
    /// `some Reducer`. `nil` if a builder is written.
    fileprivate var builderArguments: String? {
        guard !attributes.has("ReducerBuilder"), let domain = bodyDomain else { return nil }
        return "\(domain.state), \(domain.action)"
    }

    /// The types of state and action of a computed `body` with the type `some Reducer`.
    fileprivate var bodyDomain: (state: String, action: String)? {
        guard
            propertyName?.text == "body", isInstance, isComputed,
            let opaque = onlyBinding?.typeAnnotation?.type.as(SomeOrAnyTypeSyntax.self),
            opaque.someOrAnySpecifier.tokenKind == .keyword(.some)
        else { return nil }
        let arguments = opaque.constraint.genericArgumentTypes
        switch (opaque.constraint.baseName, arguments.count) {
        case ("Reducer", 2): return (arguments[0], arguments[1])
        case ("Reducer", 0): return ("Self.State", "Self.Action")
        case ("ReducerOf", 1): return ("\(arguments[0]).State", "\(arguments[0]).Action")
        default: return nil
        }
    }
}
