import SwiftSyntax
import SwiftSyntaxMacros

/// `@ObservableState`: makes each property of a struct, or each case of an enum, observable on its
/// own.
public enum ObservableStateMacro {
    static let attribute = "ObservableState"
    static let registrar = "_$observationRegistrar"
}

extension ObservableStateMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(StructDeclSyntax.self) || declaration.is(EnumDeclSyntax.self),
            !protocols.isEmpty
        else { return [] }
        let conformances = protocols.map(\.baseName)
            .map { $0 == "Observable" ? "Observation.Observable" : "ComposableArchitecture.\($0)" }
            .joined(separator: ", ")
        return [
            try ExtensionDeclSyntax(
                "\(declaration.availability)extension \(type.trimmed): \(raw: conformances) {}")
        ]
    }
}

extension ObservableStateMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        if declaration.is(StructDeclSyntax.self) {
            return ObservableStateSource.ofStruct.map { "\(raw: $0)" }
        }
        if let declaration = declaration.as(EnumDeclSyntax.self) {
            return ObservableStateSource.ofEnum(EnumMember.all(in: declaration.memberBlock.members))
                .map { "\(raw: $0)" }
        }
        context.errorWrongKind(attribute, of: declaration, at: node)
        return []
    }
}

extension ObservableStateMacro: MemberAttributeMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingAttributesFor member: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [AttributeSyntax] {
        guard declaration.is(StructDeclSyntax.self),
            let property = member.as(VariableDeclSyntax.self)
        else { return [] }
        diagnoseWrappers(of: property, in: context)
        guard property.isStoredVariable, !property.isGenerated,
            !property.attributes.has(untrackedAttributes)
        else { return [] }
        if property.attributes.has("SharedReader", "Shared") {
            return ["@ComposableArchitecture.ObservationStateIgnored"]
        }
        if property.modifiers.contains(.lazy) {
            context.error(
                "'@ObservableState' cannot track a lazy property; use '@ObservationStateIgnored'",
                id: "ObservableState.lazy", at: property)
            return []
        }
        guard property.propertyName != nil else {
            context.error(
                "'@ObservableState' can track a property only if it is declared on its own",
                id: "ObservableState.severalBindings", at: property)
            return []
        }
        return ["@ComposableArchitecture.ObservationStateTracked"]
    }

    private static let untrackedAttributes = [
        "ObservationStateIgnored", "ObservationStateTracked", "Presents", "PresentationState",
        "BindingState",
    ]

    /// Reports property wrappers that can't be combined with `@ObservableState`. Code for older
    /// versions of the library uses them.
    private static func diagnoseWrappers(
        of property: VariableDeclSyntax, in context: some MacroExpansionContext
    ) {
        if let wrapper = property.attributes.attribute("PresentationState") {
            let presents = wrapper.with(
                \.attributeName,
                TypeSyntax("Presents").with(\.trailingTrivia, wrapper.attributeName.trailingTrivia))
            context.error(
                "'@PresentationState' cannot be used in '@ObservableState'",
                id: "ObservableState.presentationState", at: wrapper,
                fixIts: [
                    .replacing(
                        wrapper, with: presents, "Use '@Presents' instead",
                        id: "ObservableState.presentationState")
                ])
        }
        if let wrapper = property.attributes.attribute("BindingState") {
            let others = property.attributes.filter {
                $0.as(AttributeSyntax.self)?.id != wrapper.id
            }
            context.error(
                "'@BindingState' cannot be used in '@ObservableState'",
                id: "ObservableState.bindingState", at: wrapper,
                fixIts: [
                    .replacing(
                        property.attributes, with: others, "Remove '@BindingState'",
                        id: "ObservableState.bindingState")
                ])
        }
    }
}

extension AttributeListSyntax {
    fileprivate func has(_ names: [String]) -> Bool { names.contains { attribute($0) != nil } }
}

extension VariableDeclSyntax {
    var isStoredVariable: Bool { !isLet && isInstance && !isComputed }

    var isGenerated: Bool { propertyName?.text.hasPrefix("_$") ?? false }
}
