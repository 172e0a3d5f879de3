import ComposableArchitecture

/// Feedback that a person feels in the hand when something has counted.
@DependencyClient
public struct HapticClient: Sendable {
    public var play: @Sendable (_ haptic: Haptic) async -> Void
}

public enum Haptic: Equatable, Sendable, CaseIterable {
    /// A tap of several has counted.
    case tap
    /// It is done.
    case success
    /// An alert goes out.
    case warning
    case failure
}

extension HapticClient: DependencyKey {
    /// A device that can't.
    public static let unavailable = HapticClient(play: { _ in })

    /// An app sets its own.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var hapticClient: HapticClient {
        get { self[HapticClient.self] }
        set { self[HapticClient.self] = newValue }
    }
}
