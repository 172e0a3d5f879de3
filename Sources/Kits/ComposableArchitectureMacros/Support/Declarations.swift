import SwiftSyntax

extension DeclGroupSyntax {
    /// The keyword of the declaration: `struct`, `class`, `actor`…
    var kindName: String { introducer.text }

    /// The declared name, where there is one of its own (an extension has none).
    var typeName: String? { asProtocol((any NamedDeclSyntax).self)?.name.text }

    /// The members that declare a type, a function or a property of this name.
    func declares(_ name: String) -> Bool { memberBlock.members.declares(name) }

    /// The prefix for members that must be as visible as the type: `public `, `package ` or
    /// nothing.
    var accessPrefix: String { modifiers.accessPrefix }
}

extension MemberBlockItemListSyntax {
    /// True if a member is named `name`, in any branch of conditional compilation.
    func declares(_ name: String) -> Bool {
        contains { item in
            if let named = item.decl.asProtocol((any NamedDeclSyntax).self) {
                return named.name.text == name
            }
            if let variable = item.decl.as(VariableDeclSyntax.self) {
                return variable.bindings.contains {
                    $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.text == name
                }
            }
            guard let conditional = item.decl.as(IfConfigDeclSyntax.self) else { return false }
            return conditional.clauses.contains { clause in
                guard case .decls(let members)? = clause.elements else { return false }
                return members.declares(name)
            }
        }
    }
}

extension DeclModifierListSyntax {
    /// The access level written down, if one is (`private(set)` is not one).
    var accessLevel: Keyword? {
        for modifier in self where modifier.detail == nil {
            if case .keyword(let keyword) = modifier.name.tokenKind,
                AccessLevel.all.contains(keyword)
            {
                return keyword
            }
        }
        return nil
    }

    /// `public ` or `package ` for what must be seen outside of the module, else nothing.
    var accessPrefix: String {
        switch accessLevel {
        case .public, .open: "public "
        case .package: "package "
        default: ""
        }
    }

    func contains(_ keyword: Keyword) -> Bool {
        contains { $0.name.tokenKind == .keyword(keyword) }
    }
}

/// The access levels from the narrowest to the widest.
enum AccessLevel {
    static let all: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]

    /// The narrower of two levels; a level that is not written down is `internal`.
    static func narrower(_ first: Keyword, _ second: Keyword) -> Keyword {
        let firstRank = all.firstIndex(of: first) ?? 2
        let secondRank = all.firstIndex(of: second) ?? 2
        return firstRank <= secondRank ? first : second
    }
}

extension AttributeListSyntax {
    /// The attribute of this name, written with or without a module before it.
    func attribute(_ names: String...) -> AttributeSyntax? {
        for case .attribute(let attribute) in self where names.contains(attribute.baseName) {
            return attribute
        }
        return nil
    }

    func has(_ names: String...) -> Bool { names.contains { attribute($0) != nil } }
}

extension AttributeSyntax {
    /// The name without module and generic arguments: `CasePathable` in
    /// `@ComposableArchitecture.CasePathable`.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) {
            return identifier.name.text
        }
        return attributeName.trimmedDescription
    }
}

/// A declaration's own indentation and line breaks are the formatter's affair: this joins lines.
func lines(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n") }
