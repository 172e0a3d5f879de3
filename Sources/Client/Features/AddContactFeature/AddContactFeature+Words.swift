extension AddContactFeature.State {
    public var question: String { "How should you and \(displayName) help each other?" }
    public var addWords: String { isAdding ? "Adding …" : "Add \(displayName)" }
    public var rolesHint: String {
        """
        At least one. \(displayName) is told, and has to accept before \
        being your responder.
        """
    }
}
