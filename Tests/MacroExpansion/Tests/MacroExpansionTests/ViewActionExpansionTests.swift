import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct ViewActionExpansionTests {
    @Test func asksForAStore() {
        expectExpansion(
            "ViewAction",
            of: #"""
                @ViewAction(for: Feature.self)
                struct FeatureView: View {
                }
                """#,
            to: #"""
                struct FeatureView: View {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@ViewAction' requires 'FeatureView' to have a 'store' property of type 'Store'.",
                    line: 1, column: 1, severity: .error, fixIts: [FixItSpec(message: "Add 'store'")])
            ],
            fixed: #"""
                @ViewAction(for: Feature.self)
                struct FeatureView: View {
                    let store: StoreOf<Feature>
                }
                """#)
    }

    @Test func warnsOfSendingToTheStore() {
        expectExpansion(
            "ViewAction",
            of: #"""
                @ViewAction(for: Feature.self)
                struct FeatureView {
                    let store: StoreOf<Feature>
                    func tap() {
                        store.send(.view(.tapped))
                    }
                    func other() {
                        self.store.send(.other)
                    }
                }
                """#,
            to: #"""
                struct FeatureView {
                    let store: StoreOf<Feature>
                    func tap() {
                        store.send(.view(.tapped))
                    }
                    func other() {
                        self.store.send(.other)
                    }
                }

                extension FeatureView: ComposableArchitecture.ViewActionSending {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "Do not use 'store.send' directly when using '@ViewAction'",
                    line: 5, column: 9, severity: .warning, fixIts: [FixItSpec(message: "Use 'send' instead")]),
                DiagnosticSpec(
                    message: "Do not use 'store.send' directly when using '@ViewAction'",
                    line: 8, column: 9, severity: .warning),
            ],
            fixed: #"""
                @ViewAction(for: Feature.self)
                struct FeatureView {
                    let store: StoreOf<Feature>
                    func tap() {
                        send(.tapped)
                    }
                    func other() {
                        self.store.send(.other)
                    }
                }
                """#)
    }
}
