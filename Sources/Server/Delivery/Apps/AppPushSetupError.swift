/// An error in the key files or settings for apps.
public enum AppPushSetupError: Error, Equatable, Sendable, CustomStringConvertible {
    case noAPNsKey
    case keyID
    case teamID
    case noServiceAccount
    /// A field of the service account's file.
    case field(String)

    public var description: String {
        switch self {
        case .noAPNsKey:
            """
            the file holds no key of Apple's push service; it is the .p8 file of a key that has \
            that service turned on
            """
        case .keyID: "the key id has 10 letters and digits, as in the name of the .p8 file"
        case .teamID: "the team id has 10 letters and digits, as in Apple's membership details"
        case .noServiceAccount:
            """
            the file is not the JSON key file of a service account; make one in the Google Cloud \
            console
            """
        case .field(let name):
            """
            the field \(name) of the service account's file is missing or can't be used; make a \
            new JSON key file in the Google Cloud console
            """
        }
    }
}
