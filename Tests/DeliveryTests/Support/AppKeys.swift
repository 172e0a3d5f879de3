/// Keys for tests alone, made by `openssl genpkey`.
enum TestKeys {
    /// On P-256.
    static let ec = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgWfIGwplukYWBVPuB
        +EGe8DlWEVGm6ZlO6QpBj4leg7uhRANCAARYiObiz7Z6ciWVys8IY35BnyPGYRdi
        LfG1JTHAyfYHBHtUtGJLT5jRp85ri/iHBz6Pqr/Z7SaHQKFXbsUcgDR9
        -----END PRIVATE KEY-----
        """
    /// 2,048 bits.
    static let rsa = """
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
}
