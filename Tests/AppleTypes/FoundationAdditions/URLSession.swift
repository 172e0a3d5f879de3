@_exported import Foundation
@_exported import FoundationNetworking

// Parts of Apple's Foundation that Linux lacks.
extension URLSessionConfiguration {
    public class func background(withIdentifier identifier: String) -> URLSessionConfiguration {
        fatalError()
    }

    public var sessionSendsLaunchEvents: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}

extension URLSession {
    public var allTasks: [URLSessionTask] { get async { fatalError() } }
}
