import Clients
import ComposableArchitecture
import Domain
import Foundation

/// The code that others add the user by: shown, shared, renewed.
@Reducer
public struct QRCodeFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        /// A placeholder of the seed's until the server has told the user's own: nothing of it can
        /// be copied or shared.
        public var qrCodeID: String
        /// nil until the picture is made, and while the code is renewed.
        public var qrCodeImage: QRCodeImage?
        /// The code or its picture is on its way.
        public var isGenerating: Bool
        /// The last failure, until it is dismissed or the next try begins.
        public var error: UserFacingError?
        /// The scanner, for adding somebody.
        public var qrScanner: QRScannerFeature.State
        /// Used by front ends that present a sheet; a browser shares when pressed.
        public var isShareSheetPresented: Bool
        /// The link to share; nil until the user's id is loaded.
        public var shareLink: URL?
        /// Where the shown code is to be scanned.
        public var codeKind = QRCodeKind.lifeSignal
        /// The user's code as the server has told it; nil before.
        public var info: QRCodeInfo?
        /// The id for the clipboard. It is cleared after two seconds, and with it the word
        /// "Copied".
        public var copiedID: String?

        public init(
            qrCodeID: String = UUID().uuidString, qrCodeImage: QRCodeImage? = nil,
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

        /// Four groups of eight, as a person reads them out; what is shorter than 32 characters
        /// stays as it is.
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
        /// The id is the user's own, and not the placeholder.
        public var canShare: Bool { shareLink != nil }
    }

    public enum Action: Equatable, Sendable {
        case onAppear
        case onDisappear
        /// A new id from the server; the old one dies.
        case refreshQRCodeButtonTapped
        /// Another picture of the same code.
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
            /// The user has scanned somebody's code.
            case codeScanned(String)
        }
    }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.qrCodeClient) var qrCodeClient
    @Dependency(\.userClient) var userClient

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
                // The old picture goes first: once there is a new id it adds nobody.
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
