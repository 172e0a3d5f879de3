import ComposableArchitecture

extension AppFeature.State {
    /// The tabs; nil while nobody is in them.
    public var main: MainTabFeature.State? {
        if case .main(let main) = screen { main } else { nil }
    }
}
