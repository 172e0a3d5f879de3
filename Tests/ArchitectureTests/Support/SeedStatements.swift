/// The statements of the seeds, one by one. The seeds aren't part of the package.
struct SeedStatement: Sendable {
    enum Holder: Sendable {
        /// The name of a test, as "Suite.function".
        case test(String)
        /// The bold beginning of an entry in Docs/features.md.
        case entry(String)
    }

    let item: String
    let says: String
    let holder: Holder

    /// Returns a statement that this app fulfils.
    static func kept(_ item: String, _ says: String, by test: String) -> Self {
        Self(item: item, says: says, holder: .test(test))
    }

    /// Returns a statement that this app doesn't follow.
    static func differs(_ item: String, _ says: String, as entry: String) -> Self {
        Self(item: item, says: says, holder: .entry(entry))
    }

    static let all = qrCode + alert + dependents + profile + responders

    static let qrCode: [SeedStatement] = [
        .kept(
            "State", "names, types and defaults",
            by: "SeedDeclarationTests.everyDeclarationIsOurs"),
        .kept(
            "qrCodeID", "is unique, and the image is made of it",
            by: "QRCodeFeatureSeedTests.qrCodeID"),
        .kept(
            "qrCodeID", "is shared when the code is scanned",
            by: "QRCodeFeatureSeedTests.payload"),
        .differs(
            "qrCodeID", "is random by default, and not persisted",
            as: "`qrCodeID: String = UUID().uuidString`"),
        .differs("qrCodeImage", "is a UIImage", as: "`qrCodeImage: UIImage?`"),
        .kept("qrCodeImage", "is displayed", by: "QRCodeFeatureSeedTests.qrCodeImage"),
        .kept(
            "qrCodeImage", "can be shared with other users",
            by: "QRCodeViewTests.codeCanBeSharedCopiedAndSaved"),
        .kept(
            "qrCodeImage", "is generated on demand and not persisted",
            by: "QRCodeFeatureSeedTests.nothingIsPersisted"),
        .kept(
            "isGenerating", "shows loading indicators",
            by: "QRCodeFeatureSeedTests.isGenerating"),
        .kept("error", "is nil at first, and displayed", by: "QRCodeFeatureSeedTests.error"),
        .differs("error", "is shown as an alert", as: "`error` as an alert"),
        .kept("qrScanner", "scans codes", by: "QRCodeFeatureSeedTests.qrScanner"),
        .kept(
            "isShareSheetPresented", "says whether the sheet is presented",
            by: "QRCodeFeatureSeedTests.isShareSheetPresented"),
        .differs(
            "isShareSheetPresented", "is the sheet of every client",
            as: "`isShareSheetPresented`"),
        .kept(
            "QRCodeData", "is a JSON string, and then the image",
            by: "QRCodeFeatureSeedTests.payload"),
        .differs("QRCodeData", "is what the only image holds", as: "The picture of the code"),
        .kept("QRCodeData", "id, userID, timestamp", by: "QRCodeFeatureSeedTests.payload"),
        .differs(
            "QRCodeData", "appVersion and deviceModel",
            as: "`QRCodeData.appVersion` and `deviceModel`"),
        .kept("UI state", "only exists in memory", by: "QRCodeFeatureSeedTests.nothingIsPersisted"),
        .kept("ProfileFeature", "holds the feature", by: "ProfileSeedTests.qrCode"),
        .differs("ProfileFeature", "holds it as a plain value", as: "`qrCode` in the profile"),
        .kept(
            "qrCodeIDForDisplay", "has hyphens; less than 32 characters stay",
            by: "QRCodeFeatureSeedTests.qrCodeIDForDisplay"),
        .differs("qrCodeIDForDisplay", "cuts at 8, 16 and 24", as: "`qrCodeIDForDisplay`"),
        .kept(
            "hasQRCode", "says whether there is an image",
            by: "QRCodeFeatureSeedTests.hasQRCode"),
    ]

    static let alert: [SeedStatement] = [
        .kept(
            "State", "names, types and defaults",
            by: "SeedDeclarationTests.everyDeclarationIsOurs"),
        .kept("isAlertActive", "is false at first", by: "AlertFeatureSeedTests.isAlertActive"),
        .kept(
            "isAlertActive", "chooses between activation and deactivation",
            by: "AlertFeatureSeedTests.canActivate"),
        .differs(
            "isAlertActive", "decides whether responders are notified",
            as: "Telling the responders"),
        .kept("isAlertActive", "is stored and cached", by: "AlertFeatureSeedTests.persistence"),
        .kept(
            "activationProgress", "rises by 0.25 a tap and activates at 1.0",
            by: "AlertFeatureSeedTests.activationProgress"),
        .differs(
            "activationProgress", "rises in the feature",
            as: "`activationProgress` in the web app"),
        .differs(
            "alertButtonTapped", "counts a tap for four seconds", as: "`alertButtonTapped`"),
        .kept(
            "activationProgress", "only exists in memory",
            by: "AlertFeatureSeedTests.persistence"),
        .kept(
            "deactivationProgress", "rises with the hold and deactivates at 1.0",
            by: "AlertFeatureSeedTests.deactivationProgress"),
        .kept(
            "deactivationProgress", "only exists in memory",
            by: "AlertFeatureSeedTests.persistence"),
        .kept(
            "alertStartTime", "is nil without an alert",
            by: "AlertFeatureSeedTests.alertStartTime"),
        .differs("alertStartTime", "is when the alert was activated", as: "`alertStartTime`"),
        .kept("alertStartTime", "is stored and cached", by: "AlertFeatureSeedTests.persistence"),
        .kept(
            "alertEndTime", "is nil before the deactivation",
            by: "AlertFeatureSeedTests.alertEndTime"),
        .kept(
            "alertEndTime", "makes the duration and the record",
            by: "AlertFeatureSeedTests.deactivationProgress"),
        .kept("alertHistory", "has the newest first", by: "AlertFeatureSeedTests.alertHistory"),
        .differs(
            "alertHistory", "is used for analytics and reporting",
            as: "The history \"for analytics and reporting\""),
        .kept("alertHistory", "is stored and cached", by: "AlertFeatureSeedTests.persistence"),
        .kept(
            "isActivatingAlert", "disables the button",
            by: "AlertFeatureSeedTests.isActivatingAlert"),
        .kept(
            "isActivatingAlert", "shows a loading indicator",
            by: "AlertViewTests.showsRaisingAndUnsentAlert"),
        .differs("isActivatingAlert", "ends with a failure", as: "A failed activation"),
        .kept(
            "isDeactivatingAlert", "disables the button",
            by: "AlertFeatureSeedTests.isDeactivatingAlert"),
        .kept(
            "isDeactivatingAlert", "shows a loading indicator",
            by: "AlertWordsTests.aHoldIsUnderWayBetweenItsEnds"),
        .kept(
            "isLoadingHistory", "shows a loading indicator",
            by: "AlertFeatureSeedTests.isLoadingHistory"),
        .kept(
            "error", "is cleared by a new operation or the user",
            by: "AlertFeatureSeedTests.error"),
        .differs("error", "may be shown as an alert", as: "`error` as an alert"),
        .kept(
            "alertDuration", "is 0 without an alert",
            by: "AlertFeatureSeedTests.durationWithoutAlert"),
        .kept(
            "alertDuration", "is the time since the activation",
            by: "AlertFeatureSeedTests.durationOfAnActiveAlert"),
        .kept(
            "alertDuration", "stands still with the end",
            by: "AlertFeatureSeedTests.durationOfAnEndedAlert"),
        .differs("alertDuration", "asks Date()", as: "`alertDuration`"),
        .kept(
            "formattedAlertDuration", "is MM:SS or HH:MM:SS",
            by: "AlertFeatureSeedTests.formattedDuration"),
        .differs("formattedAlertDuration", "may be negative", as: "`formattedAlertDuration`"),
        .kept(
            "canActivateAlert", "without alert and operation",
            by: "AlertFeatureSeedTests.canActivate"),
        .kept(
            "canDeactivateAlert", "with an alert and no operation",
            by: "AlertFeatureSeedTests.canActivate"),
        .kept("isFullyActivated", "from 1.0 on", by: "AlertFeatureSeedTests.fullProgress"),
        .kept("isFullyDeactivated", "from 1.0 on", by: "AlertFeatureSeedTests.fullProgress"),
        .kept(
            "confirmationAlert", "has title, message and buttons",
            by: "AlertFeatureSeedTests.confirmationAlert"),
        .differs(
            "confirmationAlert", "presents errors and other messages",
            as: "`confirmationAlert` for errors and other messages"),
        .kept(
            "AlertRecord", "id, startTime, endTime, userId, isActive",
            by: "SeedDeclarationTests.everyDeclarationIsOurs"),
        .differs("AlertRecord", "has no more than these", as: "`AlertRecord`"),
        .kept("init", "has all of the core state", by: "AlertFeatureSeedTests.canActivate"),
        .kept("HomeFeature", "holds `alert`", by: "NoticeCorrectionTests.anErrorTakesNoPress"),
    ]

    static let dependents: [SeedStatement] = [
        .kept("Action", "names", by: "SeedDeclarationTests.everyActionOfSeed002IsOurs"),
        .kept(
            "contactClient", "loads the contacts",
            by: "SeedDeclarationTests.everyClientOfSeed002IsADependency"),
        .kept(
            "pingClient", "sends and clears pings",
            by: "SeedDeclarationTests.everyClientOfSeed002IsADependency"),
        .kept(
            "userClient", "is there",
            by: "SeedDeclarationTests.everyClientOfSeed002IsADependency"),
        .differs("clients", "are dependencies of DependentsFeature", as: "The clients"),
        .kept(
            "contacts", "is a ContactsFeature in a Scope",
            by: "DependentsFeatureSeedTests.loadContacts"),
        .kept(
            "onAppear", "loads when there are no dependents",
            by: "DependentsFeatureSeedTests.loadContacts"),
        .kept(
            "onAppear", "loads not again, nor while loading",
            by: "DependentsFeatureSeedTests.loadContactsOnlyWhenNeeded"),
        .differs("onAppear", "loads contacts, or else the option", as: "`onAppear`"),
        .kept(
            "isLoading", "is true while contacts load",
            by: "DependentsFeatureSeedTests.loadContacts"),
        .differs("isLoading", "never ends", as: "`isLoading`"),
        .kept(
            "pingDependent", "calls the client, and succeeds",
            by: "DependentsFeatureSeedTests.pingDependentSucceeds"),
        .kept(
            "pingDependentFailed", "has the error or .unknown",
            by: "DependentsFeatureSeedTests.pingDependentFails"),
        .differs("pingDependent", "has two outcomes", as: "`pingDependent`"),
        .differs(
            "pingDependent", "is for the non-responsive",
            as: "\"A ping to a non-responsive dependent\""),
        .kept(
            "clearPing", "calls the client, and succeeds",
            by: "DependentsFeatureSeedTests.clearPingSucceeds"),
        .kept(
            "clearPingFailed", "has the error or .unknown",
            by: "DependentsFeatureSeedTests.clearPingFails"),
        .kept(
            "selectContact", "presents a new state",
            by: "DependentsFeatureSeedTests.selectContact"),
        .differs("selectContact", "with the contact as tapped", as: "`selectContact`"),
        .kept(
            "showQRScanner", "presents a new state",
            by: "DependentsFeatureSeedTests.showQRScanner"),
        .differs("showQRScanner", "without the permission", as: "`showQRScanner`"),
        .kept(
            "setSortOption", "updates the state, and saves the option",
            by: "DependentsFeatureSeedTests.setSortOption"),
        .kept("DependentsSortOption", "is the key", by: "DependentsFeatureSeedTests.setSortOption"),
        .differs("UserDefaults", "keeps the option", as: "The sort option"),
        .kept(
            "load sort option", "dispatches a valid option",
            by: "DependentsFeatureSeedTests.loadSortOption"),
        .kept(
            "load sort option", "dispatches no other",
            by: "DependentsFeatureSeedTests.invalidSortOption"),
        .kept("setError", "sets the error", by: "DependentsFeatureSeedTests.setError"),
        .differs("setError", "shows an alert", as: "`error` as an alert"),
        .kept(
            "cancel API calls", "when the feature goes",
            by: "DependentsFeatureSeedTests.cancellation"),
        .kept(
            "cancel API calls", "when a list is loaded again",
            by: "DependentsEffectCorrectionTests.aSecondLoadCancelsTheFirst"),
        .differs(
            "cancel API calls", "of every type",
            as: "Cancelling a second call of the same type"),
        .differs(
            "CancellationID.loadContacts", "at the dispatch",
            as: "`CancellationID.loadContacts`"),
        .differs(
            "contactDetails, qrScanner, addContact", "in ifLet",
            as: "`contactDetails`, `qrScanner`, `addContact`"),
        .differs(
            "nonResponsiveDependentsCount", "counts the silent",
            as: "`nonResponsiveDependentsCount`"),
    ]

    static let profile: [SeedStatement] = [
        .kept(
            "State", "names, types and defaults",
            by: "SeedDeclarationTests.everyDeclarationIsOurs"),
        .kept("name", "comes from the profile", by: "ProfileSeedTests.name"),
        .kept("phoneNumber", "comes from the profile", by: "ProfileSeedTests.phoneNumber"),
        .kept("emergencyNote", "comes from the profile", by: "ProfileSeedTests.emergencyNote"),
        .kept(
            "profilePictureURL", "comes from the profile",
            by: "ProfileSeedTests.profilePictureURL"),
        .kept(
            "phoneNumber", "is used for authentication",
            by: "AuthFeatureStories.typedNumberAndPastedCodeSignIn"),
        .kept("emergencyNote", "is for responders", by: "ProfileSeedTests.emergencyNote"),
        .kept(
            "profilePictureURL", "is displayed, also elsewhere",
            by: "SharedViewTests.personWithoutPictureHasInitials"),
        .kept("isEditing", "while the profile is edited", by: "ProfileSeedTests.isEditing"),
        .kept("editingName", "begins with the name", by: "ProfileSeedTests.editingName"),
        .kept(
            "editingDescription", "begins with the note",
            by: "ProfileSeedTests.editingDescription"),
        .kept(
            "isImagePickerPresented", "says whether the picker is presented",
            by: "ProfileSeedTests.isImagePickerPresented"),
        .differs(
            "isImagePickerPresented", "is the picker of every client",
            as: "`isImagePickerPresented`"),
        .kept(
            "newProfilePicture", "is selected and not saved yet",
            by: "ProfileSeedTests.newProfilePicture"),
        .kept("isLoading", "while loading or operating", by: "ProfileSeedTests.isLoading"),
        .differs("isLoading", "on the form", as: "`isLoading` in the form"),
        .kept("error", "is displayed", by: "ProfileSeedTests.error"),
        .kept("qrCode", "is a sheet after the button", by: "ProfileSeedTests.qrCode"),
        .kept("confirmSignOut", "before signing out", by: "ProfileSeedTests.confirmSignOut"),
        .differs("confirmSignOut", "is over Never", as: "`confirmSignOut`"),
        .kept(
            "canSaveProfile", "with changes of name or note",
            by: "ProfileSeedTests.canSaveProfile"),
        .differs("canSaveProfile", "reads a && b || c", as: "`canSaveProfile`"),
        .kept("displayName", "is \"User\" without a name", by: "ProfileSeedTests.displayName"),
        .kept("hasProfilePicture", "with either picture", by: "ProfileSeedTests.hasProfilePicture"),
        .kept("profile", "is persisted, and the rest is not", by: "ProfileSeedTests.persistence"),
        .differs("profile", "is stored in Firebase Firestore", as: "Firebase Firestore"),
        .differs("AppFeature", "holds `profile`", as: "The example `AppFeature`"),
    ]

    static let responders: [SeedStatement] = [
        .kept(
            "State", "names, types and defaults",
            by: "SeedDeclarationTests.everyDeclarationIsOurs"),
        .kept("contacts", "is the source of truth", by: "RespondersFeatureSeedTests.contacts"),
        .kept(
            "isLoading", "while loading, with an indicator",
            by: "RespondersFeatureSeedTests.isLoading"),
        .differs(
            "isLoading", "disables user interaction",
            as: "`isLoading` and \"disable user interaction\""),
        .kept("error", "is displayed", by: "RespondersFeatureSeedTests.error"),
        .differs("error", "is shown as an alert", as: "`error` as an alert"),
        .kept("alerts", "has three flags, false at first", by: "RespondersFeatureSeedTests.alerts"),
        .kept(
            "contactAdded", "shows \"Contact Added\"",
            by: "RespondersFeatureSeedTests.contactAdded"),
        .kept(
            "contactExists", "shows \"Contact Already Exists\"",
            by: "RespondersFeatureSeedTests.contactExists"),
        .kept(
            "contactError", "shows \"Contact Error\"",
            by: "RespondersFeatureSeedTests.contactError"),
        .differs("contactAdded", "for each contact", as: "`contactAdded`"),
        .differs(
            "contactAdded, contactExists, contactError", "as alerts",
            as: "`contactAdded`, `contactExists` and `contactError` as alerts"),
        .differs("AlertState", "is a name of the library, too", as: "`AlertState`"),
        .kept(
            "contactDetails", "displays and manages a responder",
            by: "RespondersFeatureSeedTests.contactDetails"),
        .kept("qrScanner", "scans new responders", by: "RespondersFeatureSeedTests.qrScanner"),
        .kept("addContact", "adds new responders", by: "RespondersFeatureSeedTests.addContact"),
        .kept(
            "plain states", "are .init() at first",
            by: "SeedDeclarationTests.everyDefaultByInitIsOurs"),
        .kept(
            "pendingPingsCount", "counts responders who wait",
            by: "RespondersFeatureSeedTests.pendingPingsCount"),
        .kept(
            "pendingPingsCount", "is the badge of the tab",
            by: "MainTabTests.badgesCountWhatWaitsForThePerson"),
        .kept("contact data", "is stored and cached", by: "RespondersFeatureSeedTests.persistence"),
        .kept(
            "alert states", "only exist in memory",
            by: "RespondersFeatureSeedTests.alertsAreNotPersisted"),
        .differs(
            "ContactsFeature", "holds Responders and Dependents",
            as: "`ContactsFeature.State`"),
        .differs(
            "ContactsFeature", "is a list for each tab",
            as: "`MainTabFeature` keeps the two lists equal"),
        .differs("contacts", "is shared by the app", as: "No global carries it"),
    ]
}
