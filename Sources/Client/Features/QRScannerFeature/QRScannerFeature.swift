import Clients
import ComposableArchitecture
import Domain
import Foundation

/// Reads a LifeSignal code: by camera, from a picture, or typed by hand.
@Reducer
public struct QRScannerFeature: Sendable {
    @ObservableState
    public struct State: Equatable, Sendable {
        public var isSheetPresented: Bool
        public var permission: Permission
        public var isTorchOn: Bool
        public var manualID: String
        /// The last text that was read. The camera sees a code many times a second, but the feature
        /// handles it once.
        public var scannedCode: String?
        public var isDecoding: Bool
        /// True while a frame of the camera is being read. No screen shows this.
        var isReadingFrame = false
        public var error: UserFacingError?

        public init(
            isSheetPresented: Bool = false, permission: Permission = .notDetermined,
            isTorchOn: Bool = false, manualID: String = "",
            scannedCode: String? = nil, isDecoding: Bool = false, error: UserFacingError? = nil
        ) {
            self.isSheetPresented = isSheetPresented
            self.permission = permission
            self.isTorchOn = isTorchOn
            self.manualID = manualID
            self.scannedCode = scannedCode
            self.isDecoding = isDecoding
            self.error = error
        }

        public var canSubmitManualID: Bool { !isDecoding && manualID.contains { !$0.isWhitespace } }
        public var canUseTorch: Bool { permission == .granted }

        /// Shows an empty sheet. Keeps the known permission.
        public mutating func present() {
            self = State(isSheetPresented: true, permission: permission)
        }
    }

    public enum Permission: Equatable, Sendable {
        case notDetermined, granted, denied
    }

    public enum Action: Equatable, Sendable {
        /// The sheet appears. Clears the results of an earlier scan.
        case onAppear
        case permissionResponse(Permission)
        case torchButtonTapped
        case manualIDChanged(String)
        case manualIDSubmitted
        case codeScanned(String)
        /// A frame of the camera, JPEG or PNG. A frame without a code is not an error.
        case frameCaptured(Data)
        /// The text in a frame; nil without a code.
        case frameResponse(String?)
        /// A picture from the library, PNG or JPEG.
        case pictureSelected(Data)
        case decodeResponse(Result<String, UserFacingError>)
        /// The other person has no code, and the user wants to invite them by number instead.
        case inviteButtonTapped
        case dismissButtonTapped
        case dismissError
        case delegate(Delegate)

        @CasePathable
        public enum Delegate: Equatable, Sendable {
            /// The id of a LifeSignal code, as 36 lower-case characters. The sheet has closed.
            case codeScanned(String)
            /// The user wants to invite a person without LifeSignal. The sheet has closed.
            case inviteInstead
        }
    }

    @Dependency(\.cameraClient) private var cameraClient
    @Dependency(\.qrCodeClient) private var qrCodeClient
    @Dependency(\.effectOwner) private var effectOwner

    private enum CancelID { case decode, frame, permission }

    public init() {}

    public var body: some ReducerOf<Self> {
        Reduce { state, action in
            switch action {
            case .onAppear:
                state.present()
                return .merge(stopReading(), askForCamera())

            case .permissionResponse(let permission):
                state.permission = permission
                if permission != .granted { state.isTorchOn = false }
                return .none

            case .torchButtonTapped:
                guard state.canUseTorch else { return .none }
                state.isTorchOn.toggle()
                return .none

            case .manualIDChanged(let text):
                state.manualID = text
                state.error = nil
                return .none

            case .manualIDSubmitted:
                guard state.canSubmitManualID else { return .none }
                return handle(state.manualID, &state)

            case .codeScanned(let text):
                guard !state.isDecoding, text != state.scannedCode else { return .none }
                return handle(text, &state)

            case .frameCaptured(let frame):
                guard state.isSheetPresented, !state.isDecoding, !state.isReadingFrame else {
                    return .none
                }
                state.isReadingFrame = true
                return .run { [qrCodeClient] send in
                    await send(.frameResponse(try? await qrCodeClient.decode(picture: frame)))
                }
                .cancellable(id: effectOwner(CancelID.frame), cancelInFlight: true)

            case .frameResponse(let text):
                state.isReadingFrame = false
                return text.map { .send(.codeScanned($0)) } ?? .none

            case .pictureSelected(let picture):
                guard state.isSheetPresented, !state.isDecoding else { return .none }
                state.isDecoding = true
                state.error = nil
                return .run { [qrCodeClient] send in
                    await send(
                        .decodeResponse(
                            .userFacing { try await qrCodeClient.decode(picture: picture) }))
                }
                .cancellable(id: effectOwner(CancelID.decode), cancelInFlight: true)

            case .decodeResponse(.success(let text)):
                state.isDecoding = false
                return handle(text, &state)

            case .decodeResponse(.failure(let error)):
                state.isDecoding = false
                state.error = error
                return .none

            case .inviteButtonTapped:
                guard state.isSheetPresented else { return .none }
                close(&state)
                return .merge(stopReading(), .send(.delegate(.inviteInstead)))

            case .dismissButtonTapped:
                close(&state)
                return stopReading()

            case .dismissError:
                state.error = nil
                return .none

            case .delegate:
                return .none
            }
        }
    }

    /// Closes the sheet and tells the parent about a LifeSignal code. Shows an error for any other
    /// text.
    private func handle(_ text: String, _ state: inout State) -> Effect<Action> {
        guard state.isSheetPresented else { return .none }
        state.scannedCode = text
        state.error = nil
        do {
            let id = try QRCodeRules.id(in: text)
            close(&state)
            return .send(.delegate(.codeScanned(id.description)))
        } catch {
            state.error = UserFacingError(error)
            return .none
        }
    }

    private func close(_ state: inout State) {
        state.isSheetPresented = false
        state.isTorchOn = false
        state.isDecoding = false
        state.isReadingFrame = false
    }

    /// Asks for permission. In a browser the page asks instead.
    private func askForCamera() -> Effect<Action> {
        .run { [cameraClient] send in
            switch await cameraClient.requestPermission() {
            case .granted: await send(.permissionResponse(.granted))
            case .denied: await send(.permissionResponse(.denied))
            case .undecided, .unsupported: break
            }
        }
        .cancellable(id: effectOwner(CancelID.permission), cancelInFlight: true)
    }

    private func stopReading() -> Effect<Action> {
        .merge(.cancel(id: effectOwner(CancelID.decode)), .cancel(id: effectOwner(CancelID.frame)))
    }
}

extension QRScannerFeature.State {
    public var isTypedIDRefused: Bool { error != nil && scannedCode == manualID }

    public var readingWords: String { isDecoding ? "Reading the picture …" : "" }

    public func cameraWords(in frontEnd: FrontEnd) -> String {
        switch (permission, frontEnd) {
        case (.notDetermined, .browser):
            """
            Your browser asks whether LifeSignal may use the camera. LifeSignal only searches the \
            picture for a code.
            """
        case (.notDetermined, .app):
            """
            You are asked whether LifeSignal may use the camera. LifeSignal only searches the \
            picture for a code.
            """
        case (.granted, _): "Hold the code in front of the camera."
        case (.denied, .browser):
            """
            The camera can’t be used. Allow it in your browser, choose a picture, or type \
            the id.
            """
        case (.denied, .app):
            """
            The camera can’t be used. Allow it in Settings, under LifeSignal, choose a picture, \
            or type the id.
            """
        }
    }
}
