import SwiftSyntax
import SwiftSyntaxMacros

enum ReducerRole {
    case feature(type: String, reducer: String)
    /// State that its first action dismisses, such as an alert. `action` is the type of the action.
    case ephemeral(action: String)
    /// Data without a reducer.
    case data
}

extension EnumCase {
    /// A case with one associated value of a named type is a feature, unless an attribute says
    /// otherwise.
    var role: ReducerRole {
        guard
            !attributes.has("ReducerCaseIgnored"), let parameter = parameters.first,
            parameters.count == 1,
            parameter.type.is(IdentifierTypeSyntax.self) || parameter.type.is(MemberTypeSyntax.self)
        else { return .data }
        let type = parameter.type.trimmedDescription
        if let action = parameter.type.presentedAction { return .ephemeral(action: action) }
        if attributes.has("ReducerCaseEphemeral") { return .ephemeral(action: "\(type).Action") }
        return .feature(
            type: type, reducer: parameter.defaultValue?.value.trimmedDescription ?? "\(type)()")
    }

    /// The type of the case's value in the state. `nil` if the associated values stay as written.
    var stateType: String? {
        if case .feature(let type, _) = role { return "\(type).State" }
        return nil
    }

    /// The type of the case's value in the action. `nil` for data.
    var actionType: String? {
        switch role {
        case .feature(let type, _): "\(type).Action"
        case .ephemeral(let action): action
        case .data: nil
        }
    }

    /// Returns a declaration of the case. `type` is its only associated value; with nil, the
    /// associated values stay as written.
    func declared(typed type: String?) -> String {
        lines(availability + ["case \(applied(to: type.map { [$0] } ?? typesWithDefaults))"])
    }

    private var typesWithDefaults: [String] {
        parameters.map { parameter in
            parameter.type.trimmedDescription
                + (parameter.defaultValue.map { " = \($0.value.trimmedDescription)" } ?? "")
        }
    }
}

extension TypeSyntax {
    fileprivate var presentedAction: String? {
        guard
            ["AlertState", "ConfirmationDialogState"].contains(baseName),
            genericArgumentTypes.count == 1
        else { return nil }
        return genericArgumentTypes.first
    }
}

/// `@ReducerCaseEphemeral` and `@ReducerCaseIgnored`. Expands to nothing; `@Reducer` reads the
/// attributes.
public enum ReducerCaseMarkMacro: PeerMacro {
    public static func expansion(
        of node: AttributeSyntax,
        providingPeersOf declaration: some DeclSyntaxProtocol,
        in context: some MacroExpansionContext
    ) throws -> [DeclSyntax] { [] }
}
