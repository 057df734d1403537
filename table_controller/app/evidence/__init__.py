"""Pictures for people: of alerts, of moments, of captured hands, of what was seen."""
