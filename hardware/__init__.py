"""The machine side: wire protocol, firmware, virtual table, documents."""
