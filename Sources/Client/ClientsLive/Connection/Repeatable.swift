import API

extension Endpoint {
    /// Tells whether a second try after a lost answer has the same effect as one.
    ///
    /// PUT carries an id or the whole value, DELETE and GET are what they are, and these POSTs
    /// settle something that has an id and stays settled. Not among them: what sends a code, uses
    /// one up, adds, or replaces a QR code; and PATCH, which could take back what another device
    /// has written in between.
    public var isRepeatable: Bool {
        switch method {
        case .get, .put, .delete: true
        case .patch: false
        case .post: Self.repeatablePosts.contains(operationID)
        }
    }

    private static let repeatablePosts: Set<String> = Set(
        [
            Routes.respondToPing.endpoint, Routes.respondToAllPings.endpoint,
            Routes.endAlert.endpoint, Routes.acknowledgeAlert.endpoint,
            Routes.declineAlert.endpoint,
            Routes.readNotification.endpoint, Routes.readAllNotifications.endpoint,
            Routes.decodeQRCode,
        ].map(\.operationID))
}
