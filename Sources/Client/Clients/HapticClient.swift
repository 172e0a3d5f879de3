import ComposableArchitecture

/// Feedback that a person feels in the hand when an input has counted.
@DependencyClient
public struct HapticClient: Sendable {
    public var play: @Sendable (_ haptic: Haptic) async -> Void
}

public enum Haptic: Equatable, Sendable, CaseIterable {
    /// One of several required taps has counted.
    case tap
    /// The action is complete.
    case success
    /// An alert is being raised.
    case warning
    case failure
}

extension HapticClient: DependencyKey {
    /// A device without haptics.
    public static let unavailable = HapticClient(play: { _ in })

    /// The value until an app sets its own.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var hapticClient: HapticClient {
        get { self[HapticClient.self] }
        set { self[HapticClient.self] = newValue }
    }
}
