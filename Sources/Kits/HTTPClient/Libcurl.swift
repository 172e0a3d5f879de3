/// libcurl's global state, initialised once per process.
public enum Libcurl {
    /// Initialises libcurl; false if that fails.
    public static var isReady: Bool { TransferEngine.isReady }
}
