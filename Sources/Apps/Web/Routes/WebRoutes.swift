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

/// The routes of the web app, to be put on the server's router: its pages, and what the browser's
/// queue and pictures ask of the API.
struct WebRoutes<Feature: Reducer & SendableMetatype>: Sendable
where Feature.State: Equatable & Sendable, Feature.Action: Sendable {
    typealias Session = WebSession<Feature>

    let pages: PageRoutes<Feature, SessionResources>
    /// How the person is asked about an alert that was not sent; nil sends it unasked.
    let question: AlertQuestion<Feature.State, Feature.Action>?

    /// - Parameters:
    ///   - paths: the addresses that are pages, as `/profile` or `/add/{id}`.
    ///   - trustsProxy: the last entry of X-Forwarded-For is believed.
    ///   - largeBodies: the memory that files share with the pictures of the API.
    init(
        sessions: WebSessions<Feature>, publicURL: URL, paths: [String], trustsProxy: Bool = false,
        largeBodies: LargeBodies = LargeBodies(),
        question: AlertQuestion<Feature.State, Feature.Action>? = nil
    ) {
        pages = PageRoutes(
            sessions: sessions, site: .lifeSignal, publicURL: publicURL, paths: paths,
            trustsProxy: trustsProxy, bodies: largeBodies)
        self.question = question
    }

    /// The user of a request of a page whose session is signed in and awake; nil for any other, and
    /// for the API, which takes no cookie.
    func user(of request: Request) async -> UserID? {
        guard !request.uri.path.hasPrefix("/v1/") else { return nil }
        return await pages.identity(of: request)?.userID
    }

    func add(to router: Router<LifeSignalContext>) {
        router.add(middleware: ErrorPages())
        pages.add(to: router)
        addPictures(to: router)
        addQueue(to: router)
        addPush(to: router)
    }
}

extension PageSite {
    static let lifeSignal = PageSite(
        cookieName: "lifesignal",
        requestHeader: HTTPField.Name("X-LifeSignal") ?? .via,
        document: .lifeSignal, shell: Document.shell, waitingPage: Document.soon)
}
