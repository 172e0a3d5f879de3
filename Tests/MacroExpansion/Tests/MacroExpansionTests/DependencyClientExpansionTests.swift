import SwiftSyntaxMacrosGenericTestSupport
import Testing

struct DependencyClientExpansionTests {
    @Test func expandsEndpointsOfEachKind() {
        expectExpansion(
            "DependencyEndpoint",
            of: #"""
                struct Client {
                    @DependencyEndpoint var fetch: @Sendable (_ id: Int, _ name: String) async throws -> User
                    @DependencyEndpoint var log: (String) -> Void
                    @DependencyEndpoint var isOpen: () -> Bool = { false }
                    @DependencyEndpoint(method: "remove") public var delete: @MainActor (_ id: inout Int) throws(Failure) -> Void
                }
                """#,
            to: #"""
                struct Client {
                    var fetch: @Sendable (_ id: Int, _ name: String) async throws -> User {
                        @storageRestrictions(initializes: _fetch)
                        init(initialValue) {
                            _fetch = initialValue
                        }
                        get {
                            _fetch
                        }
                        set {
                            _fetch = newValue
                        }
                    }

                    func fetch(id p0: Int, name p1: String) async throws -> User {
                        try await self.fetch(p0, p1)
                    }

                    private var _fetch: @Sendable (_ id: Int, _ name: String) async throws -> User = { _, _ in
                        ComposableArchitecture._reportUnimplemented("Client.fetch", fileID: "TestModule/test.swift", filePath: "test.swift", line: 2, column: 5)
                        throw ComposableArchitecture._UnimplementedEndpoint("Client.fetch")
                    }
                    var log: (String) -> Void {
                        @storageRestrictions(initializes: _log)
                        init(initialValue) {
                            _log = initialValue
                        }
                        get {
                            _log
                        }
                        set {
                            _log = newValue
                        }
                    }

                    private var _log: (String) -> Void = { _ in
                        ComposableArchitecture._reportUnimplemented("Client.log", fileID: "TestModule/test.swift", filePath: "test.swift", line: 3, column: 5)
                    }
                    var isOpen: () -> Bool {
                        get {
                            _isOpen
                        }
                        set {
                            _isOpen = newValue
                        }
                    }

                    private var _isOpen: () -> Bool = {
                        ComposableArchitecture._reportUnimplemented("Client.isOpen", fileID: "TestModule/test.swift", filePath: "test.swift", line: 4, column: 5)
                        return false
                    }
                    public var delete: @MainActor (_ id: inout Int) throws(Failure) -> Void {
                        @storageRestrictions(initializes: _delete)
                        init(initialValue) {
                            _delete = initialValue
                        }
                        get {
                            _delete
                        }
                        set {
                            _delete = newValue
                        }
                    }

                    @MainActor
                    public func remove(id p0: inout Int) throws(Failure) {
                        try self.delete(&p0)
                    }

                    private var _delete: @MainActor (_ id: inout Int) throws(Failure) -> Void = { _ in
                        ComposableArchitecture._reportUnimplemented("Client.delete", fileID: "TestModule/test.swift", filePath: "test.swift", line: 5, column: 5)
                    }
                }
                """#)
    }

    @Test func addsInitialisers() {
        expectExpansion(
            "DependencyClient",
            of: #"""
                @DependencyClient
                public struct Client {
                    public let key: String
                    public var retries = 3
                    public var fetch: @Sendable (_ id: Int) async throws -> Int
                    public var isOpen: () -> Bool = { false }
                }
                """#,
            to: #"""
                public struct Client {
                    public let key: String
                    public var retries = 3
                    @ComposableArchitecture.DependencyEndpoint
                    public var fetch: @Sendable (_ id: Int) async throws -> Int
                    @ComposableArchitecture.DependencyEndpoint
                    public var isOpen: () -> Bool = { false }

                    public init(
                        key: String,
                        retries: Swift.Int = 3,
                        fetch: @escaping @Sendable (_ id: Int) async throws -> Int,
                        isOpen: @escaping () -> Bool
                    ) {
                        self.key = key
                        self.retries = retries
                        self.fetch = fetch
                        self.isOpen = isOpen
                    }

                    public init(
                        key: String
                    ) {
                        self.key = key
                    }
                }
                """#)
    }
}
