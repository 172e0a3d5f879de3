/// The kind of front end, for texts that name the browser or the device.
public enum FrontEnd: Sendable, CaseIterable {
    case browser
    case app
}
