/// The operation that failed.
public enum ClientOperation: String, Sendable, CaseIterable {
    case sendCode, verifyCode, signOut, loadSessions, endSession
    case loadProfile, updateProfile, uploadPicture, removePicture, loadPicture, changePhoneNumber,
        updateCheckInSettings
    case deleteAccount, exportAccount
    case loadQRCode, renewQRCode, lookUpQRCode, readQRCode
    case checkIn, loadCheckIns
    case loadContacts, addContact, changeRoles, removeContact
    case acceptRequest, declineRequest, withdrawRequest, loadBlocks, block, unblock
    case ping, loadPings, respondToPing, respondToAllPings, clearPing
    case raiseAlert, endAlert, acknowledgeAlert, loadAlerts
    case withdrawAcknowledgement, reportOnAlert, resumeAlert
    case loadNotifications, readNotification, deleteNotification, loadPreferences, updatePreferences
    case saveDevice, deleteDevice
    case watchForChanges

    /// Behind "We could not …".
    var attempt: String {
        switch self {
        case .sendCode: "send the code"
        case .verifyCode: "check the code"
        case .signOut: "sign you out"
        case .loadSessions: "load your devices"
        case .endSession: "sign the other device out"
        case .loadProfile: "load your profile"
        case .updateProfile: "save your profile"
        case .uploadPicture: "save the picture"
        case .removePicture: "remove the picture"
        case .loadPicture: "load the picture"
        case .changePhoneNumber: "change your phone number"
        case .updateCheckInSettings: "save your check-in settings"
        case .deleteAccount: "delete your account"
        case .exportAccount: "export your data"
        case .loadQRCode: "load your QR code"
        case .renewQRCode: "renew your QR code"
        case .lookUpQRCode: "look up this code"
        case .readQRCode: "read the code in the picture"
        case .checkIn: "check you in"
        case .loadCheckIns: "load your check-ins"
        case .loadContacts: "load your contacts"
        case .addContact: "add the contact"
        case .changeRoles: "change the contact's roles"
        case .removeContact: "remove the contact"
        case .acceptRequest: "accept the request"
        case .declineRequest: "decline the request"
        case .withdrawRequest: "take the request back"
        case .loadBlocks: "load the people you blocked"
        case .block: "block this person"
        case .unblock: "unblock this person"
        case .ping: "send the ping"
        case .loadPings: "load the pings"
        case .respondToPing: "answer the ping"
        case .respondToAllPings: "answer the pings"
        case .clearPing: "take the ping back"
        case .raiseAlert: "raise the alert"
        case .endAlert: "end the alert"
        case .acknowledgeAlert: "take the alert on"
        case .withdrawAcknowledgement: "tell everyone that you can't help"
        case .reportOnAlert: "send your report"
        case .resumeAlert: "alert everyone again"
        case .loadAlerts: "load the alerts"
        case .loadNotifications: "load your notifications"
        case .readNotification: "mark the notification as read"
        case .deleteNotification: "delete the notification"
        case .loadPreferences: "load your notification settings"
        case .updatePreferences: "save your notification settings"
        case .saveDevice: "register this device"
        case .deleteDevice: "forget the device"
        case .watchForChanges: "watch for changes"
        }
    }

    /// What it is about, for "… is no longer there".
    var subject: String {
        switch self {
        case .endSession: "That device"
        case .uploadPicture, .removePicture, .loadPicture: "The picture"
        case .lookUpQRCode, .addContact, .readQRCode, .loadQRCode, .renewQRCode: "This code"
        case .changeRoles, .removeContact, .ping: "This contact"
        case .acceptRequest, .declineRequest, .withdrawRequest: "This request"
        case .block: "This person"
        case .unblock: "This block"
        case .respondToPing, .respondToAllPings, .clearPing: "This ping"
        case .withdrawAcknowledgement, .reportOnAlert, .resumeAlert: "This alert"
        case .endAlert, .acknowledgeAlert, .raiseAlert: "This alert"
        case .readNotification, .deleteNotification: "This notification"
        case .saveDevice, .deleteDevice: "This endpoint"
        default: "What you asked for"
        }
    }

    /// When this fails, somebody may be in danger who relies on it.
    var isCallForHelp: Bool { self == .raiseAlert }
}
