"""What the organiser types: ``paiguan venue`` and ``paiguan hub``."""
