import Delivery
import Foundation
import HTTPClient
import Settings

/// The settings of the copy in Firestore.
struct FirestoreSettings: Sendable {
    var project: String
    var account: GoogleAccount
    var baseURL: URL
    /// The outbound proxy; nil for none.
    var proxy: String?

    /// Returns nil if neither a project nor credentials are given. Throws `Failure` or
    /// `SettingError`.
    init?(
        project: String?, credentials: String?, url: String?, proxy: String?,
        _ read: SettingReader
    ) throws {
        let project = read.text(project, "FIRESTORE_PROJECT", default: "")
        let path = read.text(credentials, "FIRESTORE_CREDENTIALS", default: "")
        guard !project.isEmpty || !path.isEmpty else { return nil }
        guard !project.isEmpty, !path.isEmpty else {
            throw Failure("--firestore-project and --firestore-credentials need each other.")
        }
        let characters = "abcdefghijklmnopqrstuvwxyz0123456789-"
        guard project.utf8.count <= 64, project.utf8.allSatisfy({ characters.utf8.contains($0) })
        else {
            throw Failure("--firestore-project must be a project's id, as lifesignal-1.")
        }
        let file = try SecretFile.bytes(path, named: "--firestore-credentials")
        do {
            account = try GoogleAccount(file: file)
        } catch {
            throw Failure("--firestore-credentials: \(error).")
        }
        guard
            let url = try read.operatorsURL(url, "FIRESTORE_URL")
                ?? URL(string: "https://firestore.googleapis.com")
        else {
            throw Failure("LIFESIGNAL_FIRESTORE_URL is not a URL.")
        }
        self.project = project
        self.proxy = proxy
        baseURL = url
    }

    func client(now: @escaping @Sendable () -> Date) -> FirestoreClient {
        FirestoreClient(
            project: project, account: account, baseURL: baseURL,
            client: HTTPClient(allowsPrivateAddresses: true, connections: 16, proxy: proxy),
            now: now)
    }
}
