import ComposableArchitecture

/// Small choices of the person who is signed in on this device. The account does not have them:
/// they go at sign-out with the rest of what is kept here, so that the next person begins with none
/// of them.
@DependencyClient
public struct SettingsClient: Sendable {
    /// nil for a key that was never set.
    public var string: @Sendable (_ key: SettingsKey) async -> String? = { _ in nil }
    public var setString: @Sendable (_ value: String, _ key: SettingsKey) async -> Void
}

public enum SettingsKey: String, Sendable, CaseIterable {
    /// Seed 002's name.
    case dependentsSortOption = "DependentsSortOption"
}

extension SettingsClient: TestDependencyKey {
    public static let testValue = SettingsClient()
}

extension DependencyValues {
    public var settingsClient: SettingsClient {
        get { self[SettingsClient.self] }
        set { self[SettingsClient.self] = newValue }
    }
}
