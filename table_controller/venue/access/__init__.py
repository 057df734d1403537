"""Who may come to the message bus, and how one does: keys, certificates, the connection."""
