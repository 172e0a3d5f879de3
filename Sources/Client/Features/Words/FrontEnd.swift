public enum FrontEnd: Sendable, CaseIterable {
    case browser
    case app
}
