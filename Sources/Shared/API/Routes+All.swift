import Domain

extension Routes {
    public static let all: [Endpoint] =
        [
            sendCode.endpoint, signIn.endpoint, refresh.endpoint, sessions.endpoint,
            endSession.endpoint, signOut.endpoint,
            profile.endpoint, updateProfile.endpoint, deleteAccount.endpoint, export.endpoint,
            putPicture, deletePicture.endpoint,
            picture, changePhoneNumber.endpoint, email.endpoint, setEmail.endpoint,
            confirmEmail.endpoint, deleteEmail.endpoint, updateSettings.endpoint, qrCode.endpoint,
            renewQRCode.endpoint, qrCodePicture,
            qrCodeOwner.endpoint, decodeQRCode, checkIn.endpoint, checkIns.endpoint,
            contacts.endpoint, addContact.endpoint,
            changeRoles.endpoint, orderResponders.endpoint, removeContact.endpoint,
        ] + ContactRole.allCases.flatMap { [acceptRequest($0).endpoint, endRequest($0).endpoint] }
        + [
            blocks.endpoint, block.endpoint, unblock.endpoint, invitations.endpoint,
            invite.endpoint, withdrawInvitation.endpoint, ping.endpoint, pings.endpoint,
            respondToPing.endpoint,
            respondToAllPings.endpoint, clearPing.endpoint, raiseAlert.endpoint, alerts.endpoint,
            alert.endpoint, openAlert.endpoint, endAlert.endpoint,
            withdrawAcknowledgement.endpoint, reportOnAlert.endpoint, resumeAlert.endpoint,
            acknowledgeAlert.endpoint, declineAlert.endpoint, notifications.endpoint,
            readNotification.endpoint, readAllNotifications.endpoint,
            deleteNotification.endpoint, deleteAllNotifications.endpoint, preferences.endpoint,
            updatePreferences.endpoint,
            pushEndpoints.endpoint, savePushEndpoint.endpoint, deletePushEndpoint.endpoint,
            testPushEndpoint.endpoint, pushKey.endpoint,
            receipt.endpoint, events,
            live.endpoint,
            ready.endpoint, metrics, openAPI,
        ] + ofDrills
}
