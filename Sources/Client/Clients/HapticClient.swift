import ComposableArchitecture

/// Vibrations that confirm an input.
@DependencyClient
public struct HapticClient: Sendable {
    public var play: @Sendable (_ haptic: Haptic) async -> Void
}

public enum Haptic: Equatable, Sendable, CaseIterable {
    /// One of the taps that raise an alert has counted.
    case tap
    case success
    /// An alert is being raised.
    case warning
    case failure
}

extension HapticClient: DependencyKey {
    public static let unavailable = HapticClient(play: { _ in })

    /// Apps replace this value.
    public static let liveValue = unavailable
    public static let testValue = unavailable
}

extension DependencyValues {
    public var hapticClient: HapticClient {
        get { self[HapticClient.self] }
        set { self[HapticClient.self] = newValue }
    }
}
