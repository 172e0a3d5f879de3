import Clients

/// The operation that failed.
public enum ClientOperation: Hashable, Sendable {
    /// An action of the queue.
    case action(WaitingAction.Kind)
    case sendCode, verifyCode, recover, signOut, loadSessions, endSession
    case signInByPasskey, loadPasskeys, addPasskey, renamePasskey, removePasskey
    case loadSignInSecurity, lockSignIn, unlockSignIn, stopSignInWait, makeRecoveryCodes
    case loadProfile, uploadPicture, removePicture, loadPicture, changePhoneNumber
    case loadEmail, setEmail, confirmEmail, removeEmail
    case deleteAccount, exportAccount
    case loadQRCode, renewQRCode, lookUpQRCode, readQRCode
    case loadCheckIns
    case startJourney
    case loadSources, addSource, removeSource
    case loadAdministration, stopNumberMove
    case loadContacts, addContact, removeContact, removeContactQuietly, orderResponders
    case acceptRequest, declineRequest, withdrawRequest, loadBlocks, block, unblock
    case loadPings, respondToAllPings
    case loadDrills, startDrill, stopDrill, answerDrill
    case loadInvitations, invite, withdrawInvitation
    case acknowledgeAlert, declineAlert, loadAlerts, openAlert
    case withdrawAcknowledgement, reportOnAlert, resumeAlert
    case loadNotifications, loadPreferences
    case saveDevice, addWebhook, deleteDevice, loadPushEndpoints, testPushEndpoint
    case watchForChanges

    /// The words after "We could not".
    var attempt: String {
        switch self {
        case .action(let kind): kind.words.attempt
        case .sendCode: "send the code"
        case .verifyCode: "check the code"
        case .recover, .signInByPasskey: "sign you in"
        case .loadPasskeys: "load your passkeys"
        case .addPasskey: "add the passkey"
        case .renamePasskey: "rename the passkey"
        case .removePasskey: "remove the passkey"
        case .loadSignInSecurity: "load how your account is protected"
        case .lockSignIn: "turn the sign-in lock on"
        case .unlockSignIn: "turn the sign-in lock off"
        case .stopSignInWait: "stop the sign-in"
        case .makeRecoveryCodes: "make recovery codes"
        case .signOut: "sign you out"
        case .loadSessions: "load your devices"
        case .endSession: "sign the other device out"
        case .loadProfile: "load your profile"
        case .uploadPicture: "save the picture"
        case .removePicture: "remove the picture"
        case .loadPicture: "load the picture"
        case .changePhoneNumber: "change your phone number"
        case .loadEmail: "load your e-mail address"
        case .setEmail: "send a code to this address"
        case .confirmEmail: "confirm your e-mail address"
        case .removeEmail: "remove your e-mail address"
        case .deleteAccount: "delete your account"
        case .exportAccount: "export your data"
        case .loadQRCode: "load your QR code"
        case .renewQRCode: "renew your QR code"
        case .lookUpQRCode: "look up this code"
        case .readQRCode: "read the code in the picture"
        case .loadCheckIns: "load your check-ins"
        case .startJourney: "start the journey"
        case .loadSources: "load your sources"
        case .addSource: "add the source"
        case .removeSource: "remove the source"
        case .loadAdministration: "load what the people who run this server did"
        case .stopNumberMove: "keep your phone number"
        case .loadContacts: "load your contacts"
        case .addContact: "add the contact"
        case .removeContact: "remove the contact"
        case .removeContactQuietly: "remove the contact without a message"
        case .orderResponders: "save the order"
        case .acceptRequest: "accept the request"
        case .declineRequest: "decline the request"
        case .withdrawRequest: "take the request back"
        case .loadBlocks: "load the people you blocked"
        case .block: "block this person"
        case .unblock: "unblock this person"
        case .loadPings: "load the pings"
        case .respondToAllPings: "answer the pings"
        case .loadDrills: "load the drills"
        case .startDrill: "start the drill"
        case .stopDrill: "stop the drill"
        case .answerDrill: "send your answer to the drill"
        case .loadInvitations: "load your invitations"
        case .invite: "send the invitation"
        case .withdrawInvitation: "take the invitation back"
        case .acknowledgeAlert: "take the alert on"
        case .declineAlert: "say that you can’t"
        case .openAlert: "say that you have seen the alert"
        case .withdrawAcknowledgement: "tell everyone that you can’t help"
        case .reportOnAlert: "send your report"
        case .resumeAlert: "alert everyone again"
        case .loadAlerts: "load the alerts"
        case .loadNotifications: "load your notifications"
        case .loadPreferences: "load your notification settings"
        case .saveDevice: "register this device"
        case .addWebhook: "add the webhook"
        case .deleteDevice: "forget the device"
        case .loadPushEndpoints: "load the devices that get messages"
        case .testPushEndpoint: "send the test"
        case .watchForChanges: "watch for changes"
        }
    }

    /// The subject of "… is no longer there".
    var subject: String {
        switch self {
        case .action(let kind): kind.words.subject
        case .endSession: "That device"
        case .startJourney: "This journey"
        case .uploadPicture, .removePicture, .loadPicture: "The picture"
        case .lookUpQRCode, .addContact, .readQRCode, .loadQRCode, .renewQRCode: "This code"
        case .addSource, .removeSource: "This source"
        case .stopNumberMove: "The change of your number"
        case .stopSignInWait: "This sign-in"
        case .addPasskey, .renamePasskey, .removePasskey: "This passkey"
        case .removeContact, .removeContactQuietly: "This contact"
        case .acceptRequest, .declineRequest, .withdrawRequest: "This request"
        case .block: "This person"
        case .unblock: "This block"
        case .respondToAllPings: "This ping"
        case .stopDrill, .answerDrill: "This drill"
        case .invite, .withdrawInvitation: "This invitation"
        case .acknowledgeAlert, .declineAlert, .withdrawAcknowledgement, .reportOnAlert,
            .resumeAlert, .openAlert:
            "This alert"
        case .saveDevice, .addWebhook, .deleteDevice, .testPushEndpoint: "This endpoint"
        default: "What you asked for"
        }
    }

    /// True if a person in danger may rely on this operation.
    var isCallForHelp: Bool { self == .action(.raiseAlert) }
}
