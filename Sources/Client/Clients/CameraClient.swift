import ComposableArchitecture

@DependencyClient
public struct CameraClient: Sendable {
    public var permission: @Sendable () async -> CameraPermission = { .unsupported }
    /// Asks the person, unless they have answered before. Returns their answer.
    public var requestPermission: @Sendable () async -> CameraPermission = { .unsupported }
}

public enum CameraPermission: Equatable, Sendable, CaseIterable {
    case undecided, denied, granted
    /// The device has no camera, or the front end asks for permission itself, as browsers do.
    case unsupported
}

extension CameraClient: DependencyKey {
    public static let unsupported = CameraClient(
        permission: { .unsupported }, requestPermission: { .unsupported })

    /// Apps replace this value.
    public static let liveValue = unsupported
    public static let testValue = unsupported
}

extension DependencyValues {
    public var cameraClient: CameraClient {
        get { self[CameraClient.self] }
        set { self[CameraClient.self] = newValue }
    }
}
