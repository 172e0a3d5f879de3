/// The library itself, which is set up once in a process.
public enum Libcurl {
    /// Sets it up; false if that fails.
    public static var isReady: Bool { TransferEngine.isReady }
}
