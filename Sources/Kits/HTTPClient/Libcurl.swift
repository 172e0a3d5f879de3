/// libcurl's global state, initialised once per process.
public enum Libcurl {
    /// Initialises libcurl. False if that fails.
    public static var isReady: Bool { TransferEngine.isReady }
}
