import Domain

/// Responders without an account.
extension Routes {
    public static let invitations = Route<Empty, List<Invitation>>(
        .get, "/v1/invitations", "listInvitations", "People without an account who were invited")
    public static let invite = Route<InvitationRequest, Invitation>(
        .post, "/v1/invitations", "invite",
        "Ask somebody by one text message to be a responder without an account", status: 201,
        errors: [.alreadyExists, .permissionDenied])
    public static let withdrawInvitation = Route<Empty, Empty>(
        .delete, "/v1/invitations/{id}", "withdrawInvitation", "Take an invitation back",
        errors: [.notFound, .alreadyExists])
}
