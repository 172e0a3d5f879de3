import ComposableArchitecture
import Domain
import Foundation
import HTTPServer
import HTTPTypes
import Hummingbird
import LivePages

extension LifeSignalContext: PageContext {
    public static func origin(ofAddress address: String) -> VisitorOrigin {
        let place = NetworkAddress(address)
        return VisitorOrigin(address: place.key, network: place.network)
    }
}

extension LargeBodies: BodyMemory {}

struct WebRoutes<Feature: Reducer & SendableMetatype>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    typealias Session = WebSession<Feature>

    let pages: PageRoutes<Feature, SessionResources>
    /// The question about an unsent alert; nil sends the alert without asking.
    let question: AlertQuestion<Feature.State, Feature.Action>?
    private let document: Document
    /// Shows that a check-in from the browser's queue has arrived; nil shows nothing.
    let delivered: (@Sendable (CheckInRecord) -> Feature.Action)?

    /// - Parameters:
    ///   - otherURLs: further addresses of the server.
    ///   - paths: the paths of the pages, such as `/profile` or `/add/{id}`.
    ///   - largeBodies: the memory that uploaded files share with the API's pictures.
    init(
        sessions: WebSessions<Feature>, publicURL: URL, otherURLs: [URL] = [], paths: [String],
        largeBodies: LargeBodies = LargeBodies(),
        question: AlertQuestion<Feature.State, Feature.Action>? = nil,
        delivered: (@Sendable (CheckInRecord) -> Feature.Action)? = nil
    ) {
        document = .lifeSignal(below: PathPrefix(of: publicURL).text)
        pages = PageRoutes(
            sessions: sessions, site: .lifeSignal(document), publicURL: publicURL,
            otherURLs: otherURLs, paths: paths, bodies: largeBodies)
        self.question = question
        self.delivered = delivered
    }

    /// Returns the user and session of a signed-in page whose session is awake. Nil for other
    /// requests and for the API, which ignores cookies.
    func caller(of request: Request) async -> Caller? {
        guard !request.uri.path.hasPrefix("/v1/") else { return nil }
        return await pages.identity(of: request)
    }

    func add(to router: Router<LifeSignalContext>) {
        router.add(middleware: ErrorPages(document))
        pages.add(to: router)
        addPictures(to: router)
        addQueue(to: router)
        addPush(to: router)
        // The service worker normally answers this path. Without a service worker, the shared
        // picture is lost, and the user must choose the picture in the scanner.
        let scanner = document.base + WebPath.scan
        router.post(RouterPath(WebPath.share)) { _, _ in
            Response(status: .seeOther, headers: [.location: scanner])
        }
    }
}

extension PageSite {
    static func lifeSignal(_ document: Document) -> PageSite {
        PageSite(
            cookieName: "lifesignal",
            requestHeader: HTTPField.Name("X-LifeSignal") ?? .via,
            document: document, shell: document.shell, waitingPage: document.soon)
    }
}
