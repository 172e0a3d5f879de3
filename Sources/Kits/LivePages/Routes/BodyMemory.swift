/// The memory for large bodies, such as pictures, shared by all requests of a process.
public protocol BodyMemory: Sendable {
    /// The maximum size of an uncounted body, in bytes.
    var smallBody: Int { get }
    /// Reserves memory. Returns false if too little is left or the holder's share is used up.
    func take(_ bytes: Int, for holder: String) -> Bool
    func giveBack(_ bytes: Int, of holder: String)
}
