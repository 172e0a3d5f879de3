import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

struct MacroMessage: DiagnosticMessage, FixItMessage {
    let message: String
    let id: String
    var severity: DiagnosticSeverity = .error

    var diagnosticID: MessageID { MessageID(domain: "ComposableArchitectureMacros", id: id) }
    var fixItID: MessageID { MessageID(domain: "ComposableArchitectureMacros", id: "\(id).fixIt") }
}

extension MacroExpansionContext {
    func error(_ message: String, id: String, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(
            Diagnostic(node: node, message: MacroMessage(message: message, id: id), fixIts: fixIts))
    }

    func warn(_ message: String, id: String, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(
            Diagnostic(
                node: node, message: MacroMessage(message: message, id: id, severity: .warning),
                fixIts: fixIts))
    }

    func errorWrongKind(
        _ macro: String, of declaration: some DeclGroupSyntax, at node: some SyntaxProtocol
    ) {
        let name = declaration.typeName.map { " type '\($0)'" } ?? " declaration"
        error(
            "'@\(macro)' cannot be applied to \(declaration.kindName)\(name)",
            id: "\(macro).wrongKind", at: node)
    }
}

extension FixIt {
    static func replacing(
        _ old: some SyntaxProtocol, with new: some SyntaxProtocol, _ message: String, id: String
    ) -> FixIt {
        FixIt(
            message: MacroMessage(message: message, id: id),
            changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))]
        )
    }
}
