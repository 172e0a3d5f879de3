import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// `@ViewAction(for:)`: a view that sends its own actions with `send(…)` alone.
public enum ViewActionMacro: ExtensionMacro {
    public static func expansion(
        of node: AttributeSyntax,
        attachedTo declaration: some DeclGroupSyntax,
        providingExtensionsOf type: some TypeSyntaxProtocol,
        conformingTo protocols: [TypeSyntax],
        in context: some MacroExpansionContext
    ) throws -> [ExtensionDeclSyntax] {
        guard declaration.declares("store") else {
            diagnoseMissingStore(in: declaration, of: node, context: context)
            return []
        }
        let sends = DirectSends(viewMode: .sourceAccurate)
        sends.walk(declaration.memberBlock)
        for call in sends.calls {
            context.warn(
                "Do not use 'store.send' directly when using '@ViewAction'", id: "ViewAction.directSend", at: call,
                fixIts: call.sendOfViewAction.map { [.replacing(call, with: $0, "Use 'send' instead", id: "ViewAction.directSend")] } ?? [])
        }
        guard !protocols.isEmpty else { return [] }
        let isolation = declaration.isOnMainActor ? "@MainActor " : ""
        return [
            try ExtensionDeclSyntax(
                "\(declaration.availability)extension \(type.trimmed): \(raw: isolation)ComposableArchitecture.ViewActionSending {}")
        ]
    }

    private static func diagnoseMissingStore(
        in declaration: some DeclGroupSyntax, of node: AttributeSyntax, context: some MacroExpansionContext
    ) {
        let name = declaration.typeName ?? declaration.kindName
        var fixIts: [FixIt] = []
        if let feature = node.featureName {
            let members = declaration.memberBlock.members
            let store: DeclSyntax = "\n    \(raw: declaration.accessPrefix)let store: StoreOf<\(raw: feature)>"
            let item = MemberBlockItemSyntax(decl: store)
            let changed = MemberBlockItemListSyntax([item] + Array(members))
            fixIts = [.replacing(members, with: changed, "Add 'store'", id: "ViewAction.store")]
        }
        context.error(
            "'@ViewAction' requires '\(name)' to have a 'store' property of type 'Store'.", id: "ViewAction.store", at: node, fixIts: fixIts)
    }
}

extension DeclGroupSyntax {
    /// Whether the declaration says that it is a view, or belongs to the main actor otherwise.
    fileprivate var isOnMainActor: Bool {
        attributes.has("MainActor") || (inheritanceClause?.inheritedTypes.contains { $0.type.baseName == "View" } ?? false)
    }
}

extension AttributeSyntax {
    /// `Feature` of `@ViewAction(for: Feature.self)`.
    fileprivate var featureName: String? {
        guard
            case .argumentList(let list)? = arguments,
            let member = list.first(where: { $0.label?.text == "for" })?.expression.as(MemberAccessExprSyntax.self),
            member.declName.baseName.tokenKind == .keyword(.self)
        else { return nil }
        return member.base?.trimmedDescription
    }
}

extension FunctionCallExprSyntax {
    /// `send(action)` for `store.send(.view(action))`.
    fileprivate var sendOfViewAction: FunctionCallExprSyntax? {
        guard
            let argument = arguments.first, arguments.first?.label == nil,
            let view = argument.expression.as(FunctionCallExprSyntax.self), view.arguments.count == 1,
            view.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "view",
            let action = view.arguments.first?.expression
        else { return nil }
        var call = self
        call.calledExpression = ExprSyntax(DeclReferenceExprSyntax(baseName: .identifier("send"))).with(\.leadingTrivia, leadingTrivia)
        call.arguments = arguments.with(\.[arguments.startIndex], argument.with(\.expression, action.trimmed))
        return call
    }
}

/// Finds the calls of `store.send(…)` and `self.store.send(…)`.
private final class DirectSends: SyntaxVisitor {
    var calls: [FunctionCallExprSyntax] = []

    override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
        if let called = node.calledExpression.as(MemberAccessExprSyntax.self), called.declName.baseName.text == "send",
            ["store", "self.store"].contains(called.base?.trimmedDescription)
        {
            calls.append(node)
        }
        return .visitChildren
    }
}
