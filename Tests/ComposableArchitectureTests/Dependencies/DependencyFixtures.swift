import ComposableArchitecture

/// A client that has only a live value, as in an app without test values.
struct LiveOnlyClient: DependencyKey {
    var name: @Sendable () -> String
    static let liveValue = LiveOnlyClient { "live" }
}

/// A client that has all three values.
struct GreetingClient: DependencyKey {
    var greet: @Sendable () -> String
    static var liveValue: GreetingClient { GreetingClient { "live" } }
    static var previewValue: GreetingClient { GreetingClient { "preview" } }
    static var testValue: GreetingClient { GreetingClient { "test" } }
}

/// A client whose live value is in another module.
struct InterfaceClient: TestDependencyKey {
    var name: @Sendable () -> String
    static var testValue: InterfaceClient { InterfaceClient { "test" } }
}

/// The current user. The tests below keep the values of different users separate.
struct SessionKey: DependencyKey {
    static let liveValue = "nobody"
    static let testValue = "nobody in tests"
}

/// A client that reads the session while it is created.
struct EagerClient: DependencyKey {
    let user: String
    let identity = Identity()
    static var liveValue: EagerClient {
        @Dependency(\.session) var session
        return EagerClient(user: session)
    }
    static var testValue: EagerClient { self.liveValue }
}

/// A client that stores the session's property, and reads it at each call.
struct LazyClient: DependencyKey {
    let user: @Sendable () -> String
    let identity = Identity()
    static var liveValue: LazyClient {
        @Dependency(\.session) var session
        return LazyClient { session }
    }
    static var testValue: LazyClient { self.liveValue }
}

/// A client that depends on another client, which reads the session.
struct IndirectClient: DependencyKey {
    let user: String
    static var liveValue: IndirectClient {
        @Dependency(EagerClient.self) var eager
        return IndirectClient(user: eager.user)
    }
    static var testValue: IndirectClient { self.liveValue }
}

/// A client with an identity, so that tests notice if it is created more than once.
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
