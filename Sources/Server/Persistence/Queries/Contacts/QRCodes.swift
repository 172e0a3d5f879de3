import Domain
import Foundation

extension SQLConnection {
    public func qrCode(of user: UserID) throws -> (id: QRCodeID, createdAt: Date)? {
        try first("SELECT id, created_at FROM qr_codes WHERE user_id = $1", [.id(user)]) {
            (id: try $0["id"], createdAt: try $0["created_at"])
        }
    }

    /// Returns the owner of a current code.
    public func owner(ofCode id: QRCodeID) throws -> UserID? {
        try value("SELECT user_id FROM qr_code_ids WHERE id = $1", [.id(id)])
    }
}

extension Transaction {
    public func setQRCode(_ id: QRCodeID, of user: UserID) throws {
        if let old = try qrCode(of: user) {
            try deleteValues([.id(old.id)], from: "qr_code_ids", by: "id")
        }
        try execute(
            "INSERT INTO qr_code_ids (id, user_id) VALUES ($1, $2)", [.id(id), .id(user)])
        try execute(
            """
            INSERT INTO qr_codes (user_id, id, created_at) VALUES ($1, $2, $3)
            ON CONFLICT (user_id) DO UPDATE SET id = excluded.id, created_at = excluded.created_at
            """,
            [.id(user), .id(id), .date(now)]
        )
    }
}
