import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct DependencyClientDiagnosticTests {
    @Test func asksForADefault() {
        expectExpansion(
            "DependencyEndpoint",
            of: #"""
                struct Client {
                    @DependencyEndpoint var count: (Int) -> Int
                }
                """#,
            to: #"""
                struct Client {
                    var count: (Int) -> Int {
                        @storageRestrictions(initializes: _count)
                        init(initialValue) {
                            _count = initialValue
                        }
                        get {
                            _count
                        }
                        set {
                            _count = newValue
                        }
                    }

                    private var _count: (Int) -> Int
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: #"""
                        'count' needs a default, because it cannot throw

                        It is what the closure returns, after it has reported that it is unimplemented, until a test or an app gives one of its own. Any value will do: 'false', '[]', '0'.
                        """#,
                    line: 2, column: 29, severity: .error,
                    fixIts: [FixItSpec(message: "Insert '= { _ in <#Int#> }'")])
            ],
            fixed: #"""
                struct Client {
                    @DependencyEndpoint var count: (Int) -> Int = { _ in <#Int#> }
                }
                """#)
    }

    @Test func warnsOfACrash() {
        expectExpansion(
            "DependencyEndpoint",
            of: #"""
                struct Client {
                    @DependencyEndpoint var count: () -> Int = { fatalError() }
                }
                """#,
            to: #"""
                struct Client {
                    var count: () -> Int {
                        get {
                            _count
                        }
                        set {
                            _count = newValue
                        }
                    }

                    private var _count: () -> Int = {
                        ComposableArchitecture._reportUnimplemented("Client.count", fileID: "TestModule/test.swift", filePath: "test.swift", line: 2, column: 5)
                        fatalError()
                    }
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "This default ends the program; return a value, so that tests and previews go on after the report",
                    line: 2, column: 50, severity: .warning)
            ])
    }

    @Test func refusesWhatIsNoClosure() {
        expectExpansion(
            "DependencyEndpoint",
            of: #"""
                struct Client {
                    @DependencyEndpoint var count = 1
                }
                """#,
            to: #"""
                struct Client {
                    var count = 1
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@DependencyEndpoint' must be attached to a variable of function type, written with its type",
                    line: 2, column: 5, severity: .error)
            ])
    }

    @Test func refusesAnEnumeration() {
        expectExpansion(
            "DependencyClient",
            of: #"""
                @DependencyClient
                enum Client {
                }
                """#,
            to: #"""
                enum Client {
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message: "'@DependencyClient' cannot be applied to enum type 'Client'",
                    line: 1, column: 1, severity: .error)
            ])
    }

    @Test func asksForATypeToBeWritten() {
        expectExpansion(
            "DependencyClient",
            of: #"""
                @DependencyClient
                struct Client {
                    var fetch = { 1 }
                    var retries = 3
                    @DependencyEndpointIgnored var raw = { 1 }
                }
                """#,
            to: #"""
                struct Client {
                    var fetch = { 1 }
                    var retries = 3
                    @DependencyEndpointIgnored var raw = { 1 }

                    init(
                        retries: Swift.Int = 3
                    ) {
                        self.retries = retries
                    }

                    init() {

                    }
                }
                """#,
            diagnostics: [
                DiagnosticSpec(
                    message:
                        "'@DependencyClient' needs the type of 'fetch' to be written, to make an initialiser with it",
                    line: 3, column: 9, severity: .error)
            ])
    }
}
