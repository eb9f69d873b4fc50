"""TELL: sessions of the live table through WebSockets, and the files of its page.

connection -> Connections (few, short) -> Door (Host, Origin, token) -> a file, or a Client -> Session -> Outbox

A server without a framework, for one table and a few browsers, on this machine's own address.
"""
