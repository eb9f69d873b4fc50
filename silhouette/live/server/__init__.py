"""TELL: sessions of the live table through WebSockets, and the files of its page; for one table and a few browsers.

connection -> Connections (few, short) -> Door (Host, Origin, token) -> a file, or a Client -> Session -> Outbox
"""
