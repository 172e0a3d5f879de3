import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The code that others use to add the user: shown, shared, renewed.
@Reducer
public struct QRCodeFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// The id of the user's code. Before the server's answer, it is a random placeholder that
        /// can't be copied or shared (Docs/features.md, "Seed 000").
        public var qrCodeID: String
        /// nil until the picture is drawn, and while the code is being renewed.
        public var qrCodeImage: QRCodeImage?
        public var isGenerating: Bool
        public var error: UserFacingError?
        public var qrScanner: QRScannerFeature.State
        /// True while the sheet for sharing is presented. A browser shares at the tap, without this
        /// sheet.
        public var isShareSheetPresented: Bool
        /// The link to share; nil until the server has sent the code.
        public var shareLink: URL?
        public var codeKind = QRCodeKind.lifeSignal
        public var info: QRCodeInfo?
        /// The id that was copied to the clipboard. After two seconds it becomes nil, which hides
        /// "Copied".
        public var copiedID: String?

        public init(
            qrCodeID: String = UUID.random().uuidString, qrCodeImage: QRCodeImage? = nil,
            isGenerating: Bool = false, error: UserFacingError? = nil,
            qrScanner: QRScannerFeature.State = .init(), isShareSheetPresented: Bool = false,
            shareLink: URL? = nil, copiedID: String? = nil
        ) {
            self.qrCodeID = qrCodeID
            self.qrCodeImage = qrCodeImage
            self.isGenerating = isGenerating
            self.error = error
            self.qrScanner = qrScanner
            self.isShareSheetPresented = isShareSheetPresented
            self.shareLink = shareLink
            self.copiedID = copiedID
        }

        /// The id in four groups of eight characters, for reading aloud. A shorter id stays
        /// unchanged.
        public var qrCodeIDForDisplay: String {
            let id = qrCodeID.filter { $0 != "-" }
            guard id.count >= 32 else { return qrCodeID }
            let groups = [
                id.prefix(8), id.dropFirst(8).prefix(8), id.dropFirst(16).prefix(8),
                id.dropFirst(24),
            ]
            return groups.joined(separator: "-")
        }

        public var hasQRCode: Bool { qrCodeImage != nil }
        /// True once the id is the user's own, not the placeholder.
        public var canShare: Bool { shareLink != nil }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// Requests a new id from the server, which invalidates the old one.
        case refreshQRCodeButtonTapped
        /// The person has chosen which kind of scanner the picture is for. The code stays the same.
        case codeKindSelected(QRCodeKind)
        case qrCodeResponse(Result<QRCodeInfo, UserFacingError>)
        case qrCodeImageResponse(Result<QRCodeImage, UserFacingError>)
        case shareButtonTapped
        case shareSheetDismissed
        case copyIDButtonTapped
        case copiedIDExpired
        case scanButtonTapped
        case qrScanner(QRScannerFeature.Action)
        case setError(UserFacingError?)
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            case codeScanned(String)
        }
    }

    @Dependency(\.continuousClock) private var clock
    @Dependency(\.qrCodeClient) private var qrCodeClient
    @Dependency(\.userClient) private var userClient

    private enum CancelID { case code, picture, copied }

    public init() {}

    public var body: some ReducerOf<Self> {
        Scope(state: \.qrScanner, action: \.qrScanner) { QRScannerFeature() }
        Reduce { state, action in
            switch action {
            case .onAppear:
                return load(&state) { [userClient] in try await userClient.qrCode() }

            case .refreshQRCodeButtonTapped:
                return load(&state) { [userClient] in try await userClient.renewQRCode() }

            case .onDisappear:
                state.isGenerating = false
                state.isShareSheetPresented = false
                state.copiedID = nil
                return .merge(
                    .cancel(id: CancelID.code), .cancel(id: CancelID.picture),
                    .cancel(id: CancelID.copied))

            case .qrCodeResponse(.success(let info)):
                // A new id makes the old picture invalid.
                if info.id != state.qrCodeID { state.qrCodeImage = nil }
                state.qrCodeID = info.id
                state.shareLink = info.shareLink
                state.info = info
                return draw(info.text(for: state.codeKind))

            case .codeKindSelected(let kind):
                guard kind != state.codeKind else { return .none }
                state.codeKind = kind
                state.qrCodeImage = nil
                guard let info = state.info else { return .none }
                state.isGenerating = true
                state.error = nil
                return draw(info.text(for: kind))

            case .qrCodeImageResponse(.success(let image)):
                state.isGenerating = false
                state.qrCodeImage = image
                return .none

            case .qrCodeResponse(.failure(let error)), .qrCodeImageResponse(.failure(let error)):
                state.isGenerating = false
                state.error = error
                return .none

            case .shareButtonTapped:
                state.isShareSheetPresented = state.canShare
                return .none

            case .shareSheetDismissed:
                state.isShareSheetPresented = false
                return .none

            case .copyIDButtonTapped:
                guard state.canShare else { return .none }
                state.copiedID = state.qrCodeIDForDisplay
                return .run { [clock] send in
                    try await clock.sleep(for: .seconds(2))
                    await send(.copiedIDExpired)
                }
                .cancellable(id: CancelID.copied, cancelInFlight: true)

            case .copiedIDExpired:
                state.copiedID = nil
                return .none

            case .scanButtonTapped:
                state.qrScanner.present()
                return .none

            case .qrScanner(.delegate(.codeScanned(let id))):
                return .send(.delegate(.codeScanned(id)))

            case .setError(let error):
                state.error = error
                return .none

            case .dismissError:
                state.error = nil
                return .none

            case .qrScanner, .delegate:
                return .none
            }
        }
    }

    private func draw(_ text: String) -> Effect<Action> {
        .run { [qrCodeClient] send in
            await send(
                .qrCodeImageResponse(
                    .userFacing { try await qrCodeClient.generateQRCode(for: text) }))
        }
        .cancellable(id: CancelID.picture, cancelInFlight: true)
    }

    private func load(
        _ state: inout State, _ code: @escaping @Sendable () async throws -> QRCodeInfo
    ) -> Effect<Action> {
        guard !state.isGenerating else { return .none }
        state.isGenerating = true
        state.error = nil
        return .run { send in await send(.qrCodeResponse(.userFacing(code))) }
            .cancellable(id: CancelID.code, cancelInFlight: true)
    }
}

extension QRCodeKind {
    public var title: String {
        switch self {
        case .lifeSignal: "For LifeSignal"
        case .anyCamera: "For any camera"
        }
    }

    public var hint: String {
        switch self {
        case .lifeSignal: "The other person scans it with LifeSignal."
        case .anyCamera:
            "Any camera app opens the link. After signing in, the person can add you."
        }
    }

    public var alternative: String {
        switch self {
        case .lifeSignal: "QR code with your LifeSignal id, which is written below"
        case .anyCamera: "QR code with the link that adds you"
        }
    }
}

extension QRCodeFeature.State {
    public var noPictureWords: String {
        isGenerating ? "Loading your code …" : "There is no code to show."
    }
    public var copyWords: String { copiedID == nil ? "Copy id" : "Copied" }
    public var renewWords: String { isGenerating ? "Renewing …" : "Renew now" }
}

extension QRCodeFeature {
    /// Tells what a person who scans the code can do. It appears wherever the code is shown or
    /// sent, because a scan grants all this at once (product.md, "Consent").
    public static let disclosure = """
        Anyone with this code or link can become your responder at once, see when you check in, \
        and read your emergency note.
        """
    public static let pictureName = "lifesignal-code.png"
}
