/// Texts about the server's copy with Google that all apps share. Shown only if there is a copy.
public enum CopyWords {
    public static let title = "Copy with Google"
    /// Names every field of the copy.
    public static let explanation = """
        This server keeps a copy with Google (Firebase). It has your name, your phone number, your \
        emergency note (unless you leave it out), the address of your picture, whether you have an \
        active alert, when it started and ended, and the history of your alerts.
        """
    /// The label of the switch.
    public static let leaveNoteOut = "Leave my emergency note out of the copy"
}
