"""The rule state: happenings become moves; several readings stay alive."""
