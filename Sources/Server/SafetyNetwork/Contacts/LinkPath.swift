import Cryptography
import Domain
import Foundation

/// The paths of pages that need no sign-in.
public enum LinkPath {
    public static let invitation = "/i"
    public static let alert = "/a"
    public static let drill = "/d"
    public static let session = "/s"

    public static func url(_ base: URL, _ purpose: LinkToken.Purpose, secret: String) -> URL {
        let path =
            switch purpose {
            case .invitation, .refusal: invitation
            case .alert, .mailedAlert: alert
            case .drill, .mailedDrill: drill
            case .session: session
            }
        var parts = URLComponents(
            url: base.appendingPathComponent(path), resolvingAgainstBaseURL: false)
        parts?.fragment = secret
        return parts?.url ?? base
    }
}

extension Commands {
    /// Returns a page's URL. The secret is in the fragment, which browsers don't send to servers.
    func link(_ purpose: LinkToken.Purpose, _ owner: UUID, _ subject: UUID) -> URL {
        LinkPath.url(
            options.publicURL, purpose,
            secret: LinkToken(owner: owner, subject: subject).text(purpose, key: key))
    }
}
