import Foundation

/// Secrets that all servers of a database share. They lie there encrypted.
public enum ServerSecret: String, Sendable {
    /// The private key by which push services know the servers.
    case pushKey = "push-key"
}

extension SQLConnection {
    /// As it was sealed; nil if there is none yet.
    public func sealed(_ secret: ServerSecret) throws -> Data? {
        try value("SELECT sealed FROM server_secrets WHERE name = $1", [.text(secret.rawValue)])
    }
}

extension Transaction {
    public func save(_ sealed: Data, as secret: ServerSecret) throws {
        try execute(
            """
            INSERT INTO server_secrets (name, sealed) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed
            """, [.text(secret.rawValue), .blob(sealed)])
    }
}
