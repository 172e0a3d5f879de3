import SwiftSyntax
import SwiftSyntaxMacros

/// The closure of an endpoint until the endpoint is set. Reports an issue with the endpoint's name,
/// then throws or returns the default.
struct UnimplementedClosure {
    let endpoint: Endpoint
    /// The client's type and the endpoint's name, such as `Client.endpoint`.
    let path: String
    let location: SourcePlace

    /// The source of the closure. An initial value is used unchanged unless it is a closure
    /// literal.
    var source: String {
        guard let initializer = endpoint.initializer else {
            return closure(signature: placeholders, body: ending)
        }
        guard let literal = initializer.as(ClosureExprSyntax.self) else {
            return initializer.trimmedDescription
        }
        let signature =
            literal.signature?.trimmedDescription ?? (literal.usesShorthand ? "" : placeholders)
        return closure(signature: signature, body: literal.body)
    }

    private func closure(signature: String, body: String) -> String {
        let report = "ComposableArchitecture._reportUnimplemented(\"\(path)\"\(location.arguments))"
        return lines([signature.isEmpty ? "{" : "{ \(signature)", report, body, "}"])
    }

    private var ending: String {
        endpoint.throwsAnyError
            ? "throw ComposableArchitecture._UnimplementedEndpoint(\"\(path)\")" : ""
    }

    private var placeholders: String {
        let count = endpoint.type.parameters.count
        return count == 0 ? "" : Array(repeating: "_", count: count).joined(separator: ", ") + " in"
    }
}

/// The location of a declaration in its file, for reported issues.
struct SourcePlace {
    /// `, fileID: …, filePath: …, line: …, column: …`, or empty if the location is unknown.
    let arguments: String

    init(of node: some SyntaxProtocol, in context: some MacroExpansionContext) {
        guard
            let place = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .fileID),
            let path = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
        else {
            arguments = ""
            return
        }
        arguments =
            """
            , fileID: \(place.file), filePath: \(path.file), line: \(place.line), column: \
            \(place.column)
            """
    }
}

extension ClosureExprSyntax {
    /// True if the closure uses `$0`, `$1`, and so on.
    fileprivate var usesShorthand: Bool {
        statements.tokens(viewMode: .sourceAccurate).contains { token in
            if case .dollarIdentifier = token.tokenKind { return true }
            return false
        }
    }

    /// The statements. A single expression gets the `return` that the source may omit.
    fileprivate var body: String {
        guard statements.count == 1, let item = statements.first?.item,
            case .expr(let expression) = item, !item.isFatalError
        else {
            return statements.trimmedDescription
        }
        let isStatement = expression.is(IfExprSyntax.self) || expression.is(SwitchExprSyntax.self)
        return "\(isStatement ? "" : "return ")\(expression.trimmedDescription)"
    }
}

extension CodeBlockItemSyntax.Item {
    /// True for a call of `fatalError` or `preconditionFailure`.
    var isFatalError: Bool {
        guard case .expr(let expression) = self,
            let call = expression.as(FunctionCallExprSyntax.self)
        else { return false }
        return ["fatalError", "preconditionFailure"].contains(
            call.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text)
    }
}
