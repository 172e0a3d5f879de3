/// Test keys, created with `openssl genpkey`.
public enum TestKeys {
    /// A key on P-256. Its number begins with 59f206c2.
    public static let ec = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWfIGwplukYWBVPuB
        +EGe8DlWEVGm6ZlO6QpBj4leg7uhRANCAARYiObiz7Z6ciWVys8IY35BnyPGYRdi
        LfG1JTHAyfYHBHtUtGJLT5jRp85ri/iHBz6Pqr/Z7SaHQKFXbsUcgDR9
        -----END PRIVATE KEY-----
        """
    public static let ec384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBZye9eFQ6NrriW5ExQ
        I18+UdTRiwfAQje/V1nnXviheGYwGWzLMmyDsEpDhKaKk86hZANiAAQdmNV8D9Js
        GpLPU7ERoaanVHSdcR/hB+dokpagEDlgyRg0X4XduePb75foCyy642pjjw2Px1hD
        dHvIvnC8e34Sgu9CjDxcP7RRzDy+HacmSpriUGmKJQwACopTAAeFPas=
        -----END PRIVATE KEY-----
        """
    public static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhedqQkp77LugICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPYWj+SA4PmFbTP5d29AqzIEgZB3
        xBZs7Z9jVe/jxd45pPUBQjv2O2kyGyBl4UkX3YoLPyamc5ulcNwTJmqXV82O5H1g
        7JD5eU2J7YYI3DW8Sn9i7GyWvr/TqY5eznPPWLS5SR+r/VPjpTJQsbGU4f6jBtLK
        Ky0SOJMxfnm0d3l+f5rgd2B/Lprb47sWmCkPvrvDVvVpiGy9pTUSOhao5YOgnrQ=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// An RSA key of 2,048 bits.
    public static let rsa = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDAK2LRMDSQQx4I
        H69sGTaMG+mVxfKnUVxLIAkQemZ8QcUVpkh2g/r8FPBAef5lPSfVysaNBgu/C16k
        Acuch79Zfcovvi4j/ncqxbgwL0egJ/SG5+AAe0D/YslDTG4hPfLbXRmDI0gpJdUd
        D9DatshJx+K9Y1XlecLvZylkZdQMxILUxyMccEESz+qRANMou0hmHXFAfosm+32d
        TuqlOLcTcPkOU2Om2yjanFMijgfWIzvBWBo7s/O1Rw+JFNXUYKwn73ee7v6HwePa
        Jp8lv8ql2dJewcHrPBqWbn8A+ELGY7WjLrWF1V6qyzqYhaEuxrtYdQKoAWz5RvC+
        8Hlk+YBTAgMBAAECggEAEJoO8kSTCJ2LyXw3SFml8T/IvnmN8kTgpNWH2EZtdocA
        vaiScmQKObSeDEFIfZA60fOv6JILpL3DjNwM2PaPTO4a8A9NkYApOmbqIoY1zrvK
        RSILeO8tA9iRy6sdiT3+rlM3jNvuSYPCYBLe4m5Pv7QG6Naynohrk17bCsM9/mY7
        PIoOO7kopoJMw9bErZB9UdinjExRjjxIYEuJjKsgK3+PJyfj1R8OcTp/eJdFvKcW
        IplCzdRNUVtAcMeI+Jn1hA+z18BHSCBkUvUaaLvWw1Se7dlj0pSqnjlEJ+lTjA7f
        /h68GEuINHdDq9neS2OWgkQcDmF7KwSQgoM6QrGuIQKBgQD0pXq5P+iNXeLmiU+4
        HgWDfG0yIknjpwIQyrYIjST7XFo6hquz2hm+OV+M722IGWnunzitqQMSpktpLjEu
        paryPj5lzMrYNdQ1iXk1N14d+TaNPEXUoulRhmZXBgzg+h9ppjjx4m5fzgCzn9aa
        tveO6odYPXAHhhabQJXPd621IQKBgQDJFnRmxEUCCq+Z8RcgA/kTtwqPkqAXgpqm
        OiatUZzio8WL2WTzKYTqej/qSOrIpG3BrocVf/Wm71oZH9y1cQ79j6ieZYGwybAM
        Km+xmrj2WDgRi7M7cCK+M27Uc9FXDKvtad9tAUNUE+y56JH9mgzGr+Y4hSFOVmvp
        Ou9yUtJS8wKBgFZ0hEIjC5Opsh22OK3gLiKhPhWReHsy8c/tUxcCiicqI9i67sLI
        OIC41cOAeTy3fnANZII6UBOvIMcyw76wXRDuXi6riKOPokapJmRgBKqi/1w6CJN0
        Xu+oh1IJmVOIEMHNNCKG2mqQ6j6QJc7XCfU/fET6sTR3dlW3JToEGScBAoGACDka
        2Xj9OXAmbi0lvPFsphm+HNDqKwv0Nwf5vOyxdbMsyONC9Y6lGNGW+4Wv1DSlKF5y
        t7Zb3U+8Z3qeE+1jp4rQYmnUO96DjHvPxXuGRMymvlDwK2YShaSky5tQ3DZwcWz6
        7gI3NqD59UBFeBFspFNdHsKS8hkmoIsAb7RjVXECgYEAqfzwB/1uDgCF/4c3bN5L
        Xm5Lj4Qb4whXrZStsYBonzws68bRELalw7h4K4UDjrRsNMoBEw5BhEY5J6D068+Z
        o59Z1zmsz7AuhhFG4jI40Y6DvKNhWHUShAg/0yufBbXbWKrIxMzSoQA6FCm14F4c
        aIjkTZ9KNpYipipX3WLFlyQ=
        -----END PRIVATE KEY-----
        """
    public static let rsa1024 = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAMDOioHXNRolkorN
        0yKJckmQJHBrZuOZH/pqmN4LofzmE/lMdleuCagVsdtuVoOXR6uu2B4X+ZCbr7M2
        Or0+RfcltI7whrYUhynB1KzA7HvkUqpZkQbJFe23Kl4TEwf8nlqjMeUj62q2Y4AG
        xdoRxM+uDqDxhsaLSImUpgDDaodDAgMBAAECgYAxcsdDFZag5hH3V2JW8TlGdJlj
        26e/p330E3KxP/qDid6FiX6wbgo7+ZRr2piFlz7iYS08SpnO5J7jL31RG6+FiOgX
        EQKiW+ns6yblEr7jma5LILgVGltXi9l/hpyldxeHnWnJLncp+w+qKhkq6HIrs4A4
        hMSIUflvYAAq9AElAQJBAPD+RjQRTaivSzBbbLb3yAuTXlVljUq9UfOVox9wLmZF
        BN0PW300vNYQTxnLiPulYV3ASyC1HQ7qzX9DZXII2pECQQDM0B21HzX/sy5M8Awb
        cQLqoT/YvlVElYC58G3xYRzKLfoxGFLwLpHRUBC7Nq0tj9UQ4s4f0hJrKLX4JiAw
        a6aTAkB1IkIhIJ/sc3dKQ8WtkPXMmo5pV3i7cRWaHYsxxqbm0nkwsTw4uR9ntHme
        Ag3Msm+Gz+Y0OZOsInhLeQifyqnhAkAzrjwgzOxaRkNjpJrZfc3HmMK8lWJ8uODP
        imyjoOab2bgtFT8wXf/rejGOnABc49NWvHRYsTB2m8I3CJ/MuA1DAkB1kDycl535
        rKabevCIwDHIrFYfHBYoTyLglSpbYOTBXIHP5lJpres3/PxFYnwhDmZ5UAa9cSnV
        J7NgcVQnQC4x
        -----END PRIVATE KEY-----
        """
}
