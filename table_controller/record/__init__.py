"""The journal, evidence and exports."""
