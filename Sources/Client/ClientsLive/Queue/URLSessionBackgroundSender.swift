#if canImport(Security)
import Foundation

/// Hands requests to a background session of URLSession, which sends them even while the app is
/// suspended.
public final class URLSessionBackgroundSender: BackgroundSender {
    private let base: URL
    private let folder: URL
    private let session: URLSession

    /// - Parameters:
    ///   - identifier: the session's identifier. Each process needs its own.
    ///   - folder: a folder for the bodies of the requests. The system reads bodies from files.
    public init(base: URL, identifier: String, folder: URL) {
        self.base = base
        self.folder = folder
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
        configuration.httpCookieStorage = nil
        configuration.isDiscretionary = false
        // Wakes the app after the requests. The server skips the device that made a change, so only
        // the app itself can correct the deadline, the reminders and the widget.
        configuration.sessionSendsLaunchEvents = true
        session = URLSession(configuration: configuration)
    }

    public func replace(with requests: [BackgroundRequest]) async {
        for task in await session.allTasks { task.cancel() }
        try? FileManager.default.removeItem(at: folder)
        guard !requests.isEmpty else { return }
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for request in requests {
            let body = folder.appending(path: request.id.uuidString)
            guard (try? request.request.body.write(to: body)) != nil,
                var outgoing = try? request.request.urlRequest(at: base)
            else { continue }
            outgoing.httpBody = nil
            let task = session.uploadTask(with: outgoing, fromFile: body)
            let delayable: any Delayable = task
            delayable.earliestBeginDate = request.earliest
            task.resume()
        }
    }
}

/// The property of `URLSessionTask`, without the deprecation that it has on Linux, where the check
/// of types compiles this file.
private protocol Delayable: AnyObject { var earliestBeginDate: Date? { get set } }

extension URLSessionTask: Delayable {}
#endif
