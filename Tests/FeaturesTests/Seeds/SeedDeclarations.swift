/// The declarations of the seeds, copied word for word. The seeds are not part of the package.
enum SeedDeclarations {
    /// Seed 000, `QRCodeFeature.State`.
    static let qrCode = """
        var qrCodeID: String = UUID().uuidString
        var qrCodeImage: UIImage? = nil
        var isGenerating: Bool = false
        var error: UserFacingError? = nil
        var qrScanner: QRScannerFeature.State = .init()
        var isShareSheetPresented: Bool = false
        var qrCodeIDForDisplay: String {
        var hasQRCode: Bool {
        """

    static let qrCodeData = """
        let id: String
        let userID: String
        let timestamp: Date
        let appVersion: String
        let deviceModel: String
        """

    /// Seed 001, `AlertFeature.State`.
    static let alert = """
        var isAlertActive: Bool = false
        var activationProgress: Double = 0.0
        var deactivationProgress: Double = 0.0
        var alertStartTime: Date? = nil
        var alertEndTime: Date? = nil
        var alertHistory: [AlertRecord] = []
        var isActivatingAlert: Bool = false
        var isDeactivatingAlert: Bool = false
        var isLoadingHistory: Bool = false
        var error: String? = nil
        var alertDuration: TimeInterval {
        var formattedAlertDuration: String {
        var canActivateAlert: Bool {
        var canDeactivateAlert: Bool {
        var isFullyActivated: Bool {
        var isFullyDeactivated: Bool {
        @Presents var confirmationAlert: AlertState<Action>?
        """

    static let alertRecord = """
        var id: String
        var startTime: Date
        var endTime: Date?
        var userId: String
        var isActive: Bool
        """

    /// Seed 003, `ProfileFeature.State`.
    static let profile = """
        var name: String = ""
        var phoneNumber: String = ""
        var emergencyNote: String = ""
        var profilePictureURL: URL? = nil
        var isEditing: Bool = false
        var editingName: String = ""
        var editingDescription: String = ""
        var isImagePickerPresented: Bool = false
        var newProfilePicture: Data? = nil
        var isLoading: Bool = false
        var error: UserFacingError? = nil
        @Presents var qrCode: QRCodeFeature.State?
        @Presents var confirmSignOut: ConfirmationAlertState<Never>?
        var canSaveProfile: Bool {
        var displayName: String {
        var hasProfilePicture: Bool {
        """

    /// Seed 004, `RespondersFeature.State`.
    static let responders = """
        var contacts: ContactsFeature.State = .init()
        var isLoading: Bool = false
        var error: UserFacingError? = nil
        var alerts: AlertState = .init()
        var contactDetails: ContactDetailsSheetViewFeature.State = .init()
        var qrScanner: QRScannerFeature.State = .init()
        var addContact: AddContactFeature.State = .init()
        var pendingPingsCount: Int {
        """

    static let responderAlerts = """
        var contactAdded: Bool = false
        var contactExists: Bool = false
        var contactError: Bool = false
        """

    /// Seed 002, the handlers of `DependentsFeature`.
    static let dependents = """
        case .onAppear:
        case let .ping(.pingDependent(id)):
        await send(.ping(.pingDependentSucceeded(id)))
        await send(.ping(.pingDependentFailed(error as? UserFacingError ?? .unknown)))
        case let .ping(.clearPing(id)):
        await send(.ping(.clearPingSucceeded(id)))
        await send(.ping(.clearPingFailed(error as? UserFacingError ?? .unknown)))
        await send(.contacts(.loadContacts))
        await send(.setSortOption(sortOption))
        case let .selectContact(contact):
        case .showQRScanner:
        case let .setSortOption(option):
        case let .setError(error):
        .ifLet(\\.contactDetails, action: \\.contactDetails) {
        .ifLet(\\.qrScanner, action: \\.qrScanner) {
        .ifLet(\\.addContact, action: \\.addContact) {
        """

    static let dependentsClients = """
        @Dependency(\\.contactClient) var contactClient
        @Dependency(\\.pingClient) var pingClient
        @Dependency(\\.userClient) var userClient
        """
}
