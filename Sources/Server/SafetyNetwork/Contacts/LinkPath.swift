import Cryptography
import Domain
import Foundation

/// The addresses of the pages for people without an account.
public enum LinkPath {
    public static let invitation = "/i"
    public static let alert = "/a"

    public static func url(_ base: URL, _ purpose: LinkToken.Purpose, secret: String) -> URL {
        let path = purpose == .invitation ? invitation : alert
        var parts = URLComponents(
            url: base.appendingPathComponent(path), resolvingAgainstBaseURL: false)
        parts?.fragment = secret
        return parts?.url ?? base
    }
}
