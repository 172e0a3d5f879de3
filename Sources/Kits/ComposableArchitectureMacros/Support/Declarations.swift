import SwiftSyntax

extension DeclGroupSyntax {
    /// The keyword of the declaration: `struct`, `class`, `actor`…
    var kindName: String { introducer.text }

    /// The declared name; nil for an extension, which declares none.
    var typeName: String? { asProtocol((any NamedDeclSyntax).self)?.name.text }

    /// True if a member declares a type, a function or a property of this name.
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
    /// The written access level; nil if there is none. `private(set)` doesn't count.
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

    /// `public ` or `package ` if members must be visible outside the module; otherwise empty.
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

    /// Returns the narrower of two levels. A level that is not in the list counts as `internal`.
    static func narrower(_ first: Keyword, _ second: Keyword) -> Keyword {
        let firstRank = all.firstIndex(of: first) ?? 2
        let secondRank = all.firstIndex(of: second) ?? 2
        return firstRank <= secondRank ? first : second
    }
}

extension AttributeListSyntax {
    /// Returns the first attribute with one of these names, with or without a module before it.
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

/// Joins lines. Indentation isn't needed, because the formatter indents the expansion.
func lines(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n") }
