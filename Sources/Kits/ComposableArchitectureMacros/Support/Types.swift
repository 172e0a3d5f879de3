import SwiftSyntax

extension TypeSyntax {
    /// The last part of a type's name, without generic arguments: `B` for `A.B<C>`.
    var baseName: String {
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
    }

    var genericArgumentTypes: [String] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.map(\.argument.trimmedDescription) ?? []
    }
}
