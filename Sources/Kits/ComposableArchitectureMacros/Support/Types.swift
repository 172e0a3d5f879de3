import SwiftSyntax

extension TypeSyntax {
    /// The last part of the name of a type, without generic arguments: `B` of `A.B<C>`.
    var baseName: String {
        if let member = self.as(MemberTypeSyntax.self) { return member.name.text }
        return self.as(IdentifierTypeSyntax.self)?.name.text ?? trimmedDescription
    }

    /// The generic arguments of a named type as written.
    var genericArgumentTypes: [String] {
        let clause =
            self.as(IdentifierTypeSyntax.self)?.genericArgumentClause
            ?? self.as(MemberTypeSyntax.self)?.genericArgumentClause
        return clause?.arguments.map(\.argument.trimmedDescription) ?? []
    }
}
