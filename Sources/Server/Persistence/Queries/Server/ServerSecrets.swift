import Foundation

/// Secrets that all servers of a database share, stored encrypted.
public enum ServerSecret: String, Sendable {
    /// The private key that identifies the servers to push services.
    case pushKey = "push-key"
    /// The previous push key, encrypted with a lost server key. Kept in case that server key is
    /// found.
    case formerPushKey = "former-push-key"
    /// The former server keys, encrypted with the current one.
    case formerKeys = "former-keys"
}

extension SQLConnection {
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

    public func delete(_ secret: ServerSecret) throws {
        try execute("DELETE FROM server_secrets WHERE name = $1", [.text(secret.rawValue)])
    }
}
