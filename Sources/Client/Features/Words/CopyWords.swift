/// Texts about the server's copy with Google that all apps share. Shown only if there is a copy, or
/// might be one.
public enum CopyWords {
    public static let title = "Copy with Google"
    public static let explanation = """
        This server keeps a copy with Google (Firebase). It has \(fields).
        """
    /// Shown offline, until the server has said whether it keeps a copy.
    public static let explanationBeforeItIsKnown = """
        This device doesn't know yet whether this server keeps a copy with Google (Firebase). If \
        it does, the copy has \(fields).
        """
    /// Every field of the copy.
    private static let fields = """
        your name, your phone number, your emergency note (unless you leave it out), the address \
        of your picture, whether you have an active alert, when it started and ended, and the \
        history of your alerts
        """
    /// The label of the switch.
    public static let leaveNoteOut = "Leave my emergency note out of the copy"
}
