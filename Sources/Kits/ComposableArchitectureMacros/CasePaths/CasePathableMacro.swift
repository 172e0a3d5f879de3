import SwiftSyntax
import SwiftSyntaxMacros

/// `@CasePathable`: gives each case of an enum a case path.
public enum CasePathableMacro {}

extension CasePathableMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.is(EnumDeclSyntax.self), !protocols.isEmpty else { return [] }
        let conformances = protocols.map { "ComposableArchitecture.\($0.baseName)" }.joined(
            separator: ", ")
        return [
            try ExtensionDeclSyntax(
                "\(declaration.availability)extension \(type.trimmed): \(raw: conformances) {}")
        ]
    }
}

extension CasePathableMacro: MemberMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingMembersOf declaration: some DeclGroupSyntax,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] {
        guard let declaration = declaration.as(EnumDeclSyntax.self) else {
            context.errorWrongKind("CasePathable", of: declaration, at: node)
            return []
        }
        let members = EnumMember.all(in: declaration.memberBlock.members)
        let overloaded = members.duplicateNames
        for element in overloaded {
            context.error(
                "'@CasePathable' cannot tell two cases named '\(element.name.plainText)' apart",
                id: "CasePathable.overloaded", at: element.place)
        }
        guard overloaded.isEmpty else { return [] }
        return CasePathsSource(root: declaration.name.text, members: members).declarations.map {
            "\(raw: $0)"
        }
    }
}

extension DeclGroupSyntax {
    /// The `@available` attributes, one per line, for an extension of the declaration.
    var availability: AttributeListSyntax {
        AttributeListSyntax(
            attributes.compactMap { element in
                guard case .attribute(let attribute) = element, attribute.baseName == "available"
                else { return nil }
                return .attribute(attribute.trimmed.with(\.trailingTrivia, .newline))
            })
    }
}
