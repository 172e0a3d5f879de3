import SwiftSyntax

extension DeclGroupSyntax {
    var kindName: String { introducer.text }

    /// The declared name, or nil for an extension.
    var typeName: String? { asProtocol((any NamedDeclSyntax).self)?.name.text }

    func declares(_ name: String) -> Bool { memberBlock.members.declares(name) }

    /// `public ` or `package ` for members that must be as visible as the type; otherwise empty.
    var accessPrefix: String { modifiers.accessPrefix }
}

extension MemberBlockItemListSyntax {
    /// Returns true if a member has the name, in any branch of conditional compilation.
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
    /// The written access level. Ignores `private(set)`.
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

    /// `public ` or `package ` for members that must be visible outside the module; otherwise
    /// empty.
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

/// Access levels, narrowest first.
enum AccessLevel {
    static let all: [Keyword] = [.private, .fileprivate, .internal, .package, .public, .open]

    /// Returns the narrower level. A level outside the list counts as `internal`.
    static func narrower(_ first: Keyword, _ second: Keyword) -> Keyword {
        let firstRank = all.firstIndex(of: first) ?? 2
        let secondRank = all.firstIndex(of: second) ?? 2
        return firstRank <= secondRank ? first : second
    }
}

extension AttributeListSyntax {
    /// Returns the first attribute with one of the names, ignoring a module prefix.
    func attribute(_ names: String...) -> AttributeSyntax? {
        for case .attribute(let attribute) in self where names.contains(attribute.baseName) {
            return attribute
        }
        return nil
    }

    func has(_ names: String...) -> Bool { names.contains { attribute($0) != nil } }
}

extension AttributeSyntax {
    /// The name without module and generic arguments, such as `CasePathable` for
    /// `@ComposableArchitecture.CasePathable`.
    var baseName: String {
        if let member = attributeName.as(MemberTypeSyntax.self) { return member.name.text }
        if let identifier = attributeName.as(IdentifierTypeSyntax.self) {
            return identifier.name.text
        }
        return attributeName.trimmedDescription
    }
}

/// Joins lines. The formatter indents the expansion, so lines need no indentation.
func lines(_ parts: [String]) -> String { parts.filter { !$0.isEmpty }.joined(separator: "\n") }
