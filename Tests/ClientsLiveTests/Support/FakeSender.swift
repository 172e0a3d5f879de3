import ClientsLive
import Synchronization

/// Keeps the requests until the test sends them, as the system would.
final class FakeSender: BackgroundSender {
    private let given = Mutex<[BackgroundRequest]>([])
    var requests: [BackgroundRequest] { given.withLock { $0 } }
    var paths: [String] { requests.map(\.request.path) }

    func replace(with requests: [BackgroundRequest]) { given.withLock { $0 = requests } }
}
