import ComposableArchitecture

struct LiveOnlyClient: DependencyKey {
    var name: @Sendable () -> String
    static let liveValue = LiveOnlyClient { "live" }
}

struct GreetingClient: DependencyKey {
    var greet: @Sendable () -> String
    static var liveValue: GreetingClient { GreetingClient { "live" } }
    static var previewValue: GreetingClient { GreetingClient { "preview" } }
    static var testValue: GreetingClient { GreetingClient { "test" } }
}

/// A client without a live value. In an app, another module would add the live value.
struct InterfaceClient: TestDependencyKey {
    var name: @Sendable () -> String
    static var testValue: InterfaceClient { InterfaceClient { "test" } }
}

/// The name of the current user. Tests override the name to act as different users.
struct SessionKey: DependencyKey {
    static let liveValue = "nobody"
    static let testValue = "nobody in tests"
}

/// A client that reads `session` once, at its creation.
struct EagerClient: DependencyKey {
    let user: String
    let identity = Identity()
    static var liveValue: EagerClient {
        @Dependency(\.session) var session
        return EagerClient(user: session)
    }
    static var testValue: EagerClient { self.liveValue }
}

struct LazyClient: DependencyKey {
    let user: @Sendable () -> String
    let identity = Identity()
    static var liveValue: LazyClient {
        @Dependency(\.session) var session
        return LazyClient { session }
    }
    static var testValue: LazyClient { self.liveValue }
}

struct IndirectClient: DependencyKey {
    let user: String
    static var liveValue: IndirectClient {
        @Dependency(EagerClient.self) var eager
        return IndirectClient(user: eager.user)
    }
    static var testValue: IndirectClient { self.liveValue }
}

/// A client with an identity. Two different identities show that the client was created twice.
struct ConnectionClient: DependencyKey {
    let identity = Identity()
    static var liveValue: ConnectionClient { ConnectionClient() }
    static var testValue: ConnectionClient { ConnectionClient() }
}

final class Identity: Sendable {}

extension DependencyValues {
    var liveOnly: LiveOnlyClient {
        get { self[LiveOnlyClient.self] }
        set { self[LiveOnlyClient.self] = newValue }
    }

    var greeting: GreetingClient {
        get { self[GreetingClient.self] }
        set { self[GreetingClient.self] = newValue }
    }

    var interface: InterfaceClient {
        get { self[InterfaceClient.self] }
        set { self[InterfaceClient.self] = newValue }
    }

    var session: String {
        get { self[SessionKey.self] }
        set { self[SessionKey.self] = newValue }
    }
}
