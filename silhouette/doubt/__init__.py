"""DOUBT: one question judged many times, with pieces a little elsewhere: odds, what would change a verdict, maps."""
